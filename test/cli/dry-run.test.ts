import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

test("a dry run prints no secret and creates no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const out = join(dataDir, "site.key");
  const ran = await deskbell(`keys create --name site --secret --out ${out} --dry-run`);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("name\tsite\n") });
  expect(ran.stdout).not.toMatch(/deskbell_sk_\w/);
  expect(existsSync(out)).toBe(false);
  const added = await deskbell(
    "webhooks create --name a --url http://127.0.0.1:9/ --event all --allow-private --dry-run --json",
  );
  expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining("whsec_") });
  expect((await deskbell("keys list")).stdout + (await deskbell("webhooks list")).stdout).toBe("");
});

test("a dry run needs no confirmation, fails like the real command, and reports only on stderr", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { stdout } = await deskbell("keys create --name site --secret --json");
  const { id } = (JSON.parse(stdout) as { data: { id: string } }).data;
  expect(await deskbell(`keys revoke ${id} --dry-run`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `Would revoke ${id}.\nDry run: nothing was saved.\n`,
  });
  expect(await deskbell(`keys rotate ${id} --dry-run -q`)).toMatchObject({ code: 0, stderr: "" });
  expect(await deskbell("keys revoke key_none --dry-run")).toMatchObject({
    code: 3,
    stderr: expect.not.stringContaining("Dry run"),
  });
  expect((await deskbell("keys list --json")).stdout).toContain('"revokedAt": null');
});

test("a dry run of an edit does not say that anything was changed", async () => {
  const { deskbell } = createTerminal();
  const dryRun = await deskbell(`catalog apply ${SALON} --dry-run`);
  expect(dryRun.stderr).toMatch(/^salon-aurora: would be new, /);
  await deskbell(`catalog apply ${SALON}`);
  expect((await deskbell("hours update --day tue --closed --dry-run")).stderr).toMatch(
    /^salon-aurora: hours would change\.\nsalon-aurora: would change version 1 -> 2, /,
  );
});

test("a dry run without data creates none", async () => {
  const { deskbell, dataDir } = createTerminal();
  expect(await deskbell("keys create --name site --secret --dry-run")).toMatchObject({ code: 3 });
  expect(existsSync(dataDir) && readdirSync(dataDir).length > 0).toBe(false);
});

test("rotate-master --dry-run and restore --dry-run change no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("webhooks create --name a --url http://127.0.0.1:9/ --event all --allow-private");
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  const content = () =>
    ["deskbell.db", "master.key"].map((name) => readFileSync(join(dataDir, name), "base64"));
  const before = { content: content(), names: readdirSync(dataDir) };
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({
    code: 0,
    stderr:
      "Would re-encrypt 1 signing secret and the data of 0 guests with a new master key.\nDry run: nothing was saved.\n",
  });
  expect(await deskbell(`restore ${path} --dry-run`)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(
      / is valid and would replace .*deskbell\.db, which would be kept as a copy\.\nDry run: nothing was saved\.\n$/,
    ),
  });
  expect(await deskbell("restore /no/such/file --dry-run")).toMatchObject({ code: 3 });
  expect(await deskbell(`restore ${join(dataDir, "master.key")} --dry-run`)).toMatchObject({
    code: 7,
  });
  expect({ content: content(), names: readdirSync(dataDir) }).toEqual(before);

  writeFileSync(join(dataDir, "master.key"), `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell("keys rotate-master --dry-run")).toMatchObject({ code: 5 });
});
