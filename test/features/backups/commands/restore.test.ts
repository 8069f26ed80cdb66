import {
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../../../support/cli.ts";
import { createRunningShop } from "../../../support/running-shop.ts";
import { SALON } from "../../../support/samples.ts";

/** Creates a salon, backs it up and changes a price afterwards. */
async function changeAfterBackup() {
  const dataDir = join(createTempFolder(), "my-data");
  const { deskbell } = createTerminal({ dataDir });
  await deskbell(`catalog apply ${SALON}`);
  const { path } = (
    JSON.parse((await deskbell("backup --json")).stdout) as { data: { path: string } }
  ).data;
  await deskbell("services update beard-trim --price 91.00");
  return { dataDir, path, deskbell, atTerminal: createTerminal({ dataDir, isTTY: true }).deskbell };
}

test("restore asks for the name of the data folder and says where the previous data are", async () => {
  const { dataDir, path, deskbell, atTerminal } = await changeAfterBackup();
  const { code, stderr } = await atTerminal(`restore ${path}`, "my-data\n");
  expect(code).toBe(0);
  expect(stderr).toContain(`Restoring over ${dataDir} cannot be undone. Type my-data to confirm: `);
  expect(stderr).toContain(
    `Restored ${path}. The previous data is in ${dataDir}/deskbell.db.before-`,
  );
  expect(stderr).toContain("asks partners to fetch everything again");
  expect((await deskbell("services show beard-trim")).stdout).not.toContain("price\t91.00 USD");
});

test.each(["other-data\n", "\n", "y\n", "MY-DATA\n"])(
  "restore changes nothing if %j is typed instead of the name of the data folder",
  async (typed) => {
    const { dataDir, path, deskbell, atTerminal } = await changeAfterBackup();
    expect(await atTerminal(`restore ${path}`, typed)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The name does not match; nothing was changed."),
    });
    expect((await deskbell("services show beard-trim")).stdout).toContain("price\t91.00 USD");
    expect(readdirSync(dataDir).filter((name) => name.includes("restor"))).toEqual([]);
  },
);

test("a restore over a link to a database replaces the file that the link leads to, and keeps its data", async () => {
  const { dataDir, path, deskbell } = await changeAfterBackup();
  const disk = createTempFolder();
  const database = join(dataDir, "deskbell.db");
  renameSync(database, join(disk, "moved.db"));
  symlinkSync(join(disk, "moved.db"), database);
  const { stdout } = await deskbell(`restore ${path} --yes --json`);
  const { previousData } = (JSON.parse(stdout) as { data: { previousData: string } }).data;
  expect(lstatSync(database).isSymbolicLink()).toBe(true);
  expect(dirname(previousData)).toBe(disk);
  expect(lstatSync(previousData).isFile()).toBe(true);
  expect((await deskbell("services show beard-trim")).stdout).not.toContain("price\t91.00 USD");
});

test("restore needs --yes in a script, and never asks with --no-prompt", async () => {
  const { path, deskbell, atTerminal } = await changeAfterBackup();
  const needsYes = {
    code: 2,
    stderr: expect.stringMatching(/needs a confirmation\.\nfix: add --yes/),
  };
  expect(await deskbell(`restore ${path}`)).toMatchObject(needsYes);
  expect(await atTerminal(`restore ${path} --no-prompt`)).toMatchObject(needsYes);
  expect(await deskbell(`restore ${path} --yes`)).toMatchObject({ code: 0 });
  expect((await deskbell("backup list")).stdout).toContain(basename(path));
});

test("restore in a script needs --yes, and says where the previous data are", async () => {
  const { deskbell, rt, lock } = await createRunningShop();
  lock.release();
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  rt.close();
  expect(await deskbell(`restore ${path}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await deskbell(`restore ${path} --yes`)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Restored .*\. The previous data is in .*before-restore-\w+\.\n/,
    ),
  });
  expect((await deskbell("businesses list")).stdout).toContain("\t1000001\t");

  writeFileSync(rt.config.masterKeyPath, `${Buffer.alloc(32).toString("base64")}\n`);
  expect(await deskbell(`restore ${path} --yes --json`)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("was authenticated with another master key"),
  });
  expect(await deskbell(`restore ${path} --untrusted --yes --json`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"masterKeyMatches": false'),
    stderr: expect.stringContaining("copy the matching master key there"),
  });
});

test("restore --dry-run changes no file", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  const content = () =>
    ["deskbell.db", "master.key"].map((name) => readFileSync(join(dataDir, name), "base64"));
  const before = { content: content(), names: readdirSync(dataDir) };
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
});
