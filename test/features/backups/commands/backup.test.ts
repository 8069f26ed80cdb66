import { readFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { createRunningShop } from "../../../support/running-shop.ts";
import { SALON } from "../../../support/samples.ts";

/** Creates a salon with an endpoint, and a backup of it. */
async function createSalon() {
  const dataDir = join(createTempFolder(), "data");
  const { deskbell } = createTerminal({ dataDir });
  await deskbell(`catalog apply ${SALON}`);
  await deskbell(
    "webhooks create --name till --url http://127.0.0.1:9/ --allow-private --event all",
  );
  const back = async () => JSON.parse((await deskbell("backup --json")).stdout).data;
  const { path } = (await back()) as { path: string };
  return { dataDir, key: join(dataDir, "master.key"), path, deskbell };
}

function stripTag(path: string): void {
  const header = readFileSync(path).subarray(0, 100);
  truncateSync(path, header.readUInt16BE(16) * header.readUInt32BE(28));
  rmSync(join(dirname(path), "SHA256SUMS"));
}

test("backup verify fails for a file without a tag, says how to restore it, and accepts it with --untrusted", async () => {
  const { path, deskbell } = await createSalon();
  expect(await deskbell(`backup verify ${path}`)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("The master key authenticates it."),
  });
  stripTag(path);
  const refused = await deskbell(`backup verify ${path}`);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain(`${path} has no authentication tag: version 0.2`);
  expect(refused.stderr).toMatch(/fix: \S+ restore \S+ --untrusted/);
  expect((await deskbell(`backup verify ${path} --untrusted`)).code).toBe(0);
});

test("backup verify fails for a backup that no master key here decrypts, and names the missing key", async () => {
  const { dataDir, path, deskbell } = await createSalon();
  const { oldKeys } = JSON.parse((await deskbell("keys rotate-master --json")).stdout).data;
  expect((await deskbell(`backup verify ${path}`)).code).toBe(0);
  const [oldKey] = oldKeys as [string];
  renameSync(oldKey, join(dataDir, "..", "away"));
  const refused = await deskbell(`backup verify ${path} --json`);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain(`fix: install -m 600 FILE ${oldKey}`);
  expect(JSON.parse(refused.stdout).data.unreadable).toEqual({
    secrets: 1,
    guests: 0,
    keys: [oldKey.split(".old-")[1]],
  });
});

test("a backup can be made without a master key, and backup and status say that it has no tag", async () => {
  const { key, deskbell } = await createSalon();
  renameSync(key, `${key}.away`);
  const made = await deskbell("backup --json");
  const { path, hasTag } = JSON.parse(made.stdout).data;
  expect({ code: made.code, hasTag }).toEqual({ code: 0, hasTag: false });
  expect(made.stderr).toContain(
    `The backup has no authentication tag, because the master key ${key} is missing`,
  );
  expect(made.stderr).toContain(`fix: install -m 600 FILE ${key}`);
  const { stdout } = await deskbell("status");
  expect(stdout).toContain(`the newest backup ${path} has no authentication tag, because`);
  expect(stdout).toContain(`install -m 600 FILE ${key}`);
  renameSync(`${key}.away`, key);
  expect(JSON.parse((await deskbell("backup --json")).stdout).data.hasTag).toBe(true);
  expect((await deskbell("status")).stdout).not.toContain("authentication tag");
});

test("backup --master-key-out copies the master key to a private file; backups are listed and verified", async () => {
  const { deskbell, dataDir, rt, lock } = await createRunningShop();
  const key = join(dataDir, "copy.key");
  const made = await deskbell(`backup --master-key-out ${key}`);
  expect(made).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining(`master key\t${key}\n`),
  });
  expect(readFileSync(key, "utf8")).toBe(readFileSync(rt.config.masterKeyPath, "utf8"));
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(await deskbell(`backup create --master-key-out ${key}`)).toMatchObject({
    code: 5,
    stdout: "",
  });

  const listed = await deskbell("backup list");
  expect(listed.stderr).toBe("Restore one: deskbell restore FILE\n");
  const [, file = ""] = /^[\dT:-]+Z\t[\d.]+ KB\t(.*)\n$/.exec(listed.stdout) ?? [];
  expect(await deskbell(`backup verify ${file}`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      / is valid: [\d.]+ KB, schema \d+\.\nThe master key authenticates it\.\n$/,
    ),
  });
  expect(await deskbell(`backup verify ${key}`)).toMatchObject({ code: 7, stdout: "" });
  expect(await deskbell(`backup verify ${key}.none`)).toMatchObject({ code: 3, stdout: "" });
  lock.release();
});

test.each(["backup --master-key-out --dry-run", "backup --json --master-key-out --json"])(
  "%s is refused, because an option is typed where a value belongs",
  async (line) => {
    expect(await createTerminal().deskbell(`${line} -q`)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--master-key-out needs a value"),
    });
  },
);
