import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { drillBackup, isDrillDue } from "../../../../src/features/backups/upkeep/drill.ts";
import { readBackupState } from "../../../../src/features/backups/state.ts";
import { createBackup } from "../../../../src/features/backups/backups.ts";
import { readErasureList } from "../../../../src/features/backups/erasure-list.ts";
import { runMaintenance } from "../../../../src/features/backups/upkeep/maintenance.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness, emitEvents, subscribe } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

async function createServer() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  emitEvents(rt, business, "service.updated");
  return rt;
}

test("a drill restores the newest backup beside the data, changes nothing and leaves no file", async () => {
  const rt = await createServer();
  const { path } = await createBackup(rt);
  const before = rt.revision();
  const drill = { at: rt.now(), name: basename(path), error: null, businesses: 1, secrets: 1 };
  expect(await drillBackup(rt)).toEqual(drill);
  expect(readBackupState(rt.config, "drill")).toEqual(drill);
  expect(rt.revision()).toBe(before);
  expect(readdirSync(rt.config.backupFolder).sort()).toEqual([
    "SHA256SUMS",
    basename(path),
    "erased-guests.txt",
    "last-drill.json",
  ]);
});

test("a drill adds nothing to the list of erased guests of this machine", async () => {
  const rt = await createServer();
  const { path } = await createBackup(rt);
  const folder = createTempFolder();
  const file = join(folder, basename(path));
  copyFileSync(path, file);
  writeFileSync(join(folder, "erased-guests.txt"), "bkg_00000000000000000000000001\n");
  const before = readErasureList(rt.config);
  await drillBackup(rt, file);
  expect(readErasureList(rt.config)).toEqual(before);
});

test.each(["drill", "nightly run"])(
  "a %s deletes the folder of a killed drill, and nothing else",
  async (cause) => {
    const rt = await createServer();
    await createBackup(rt);
    const create = (name: string, age: number) => {
      const path = join(rt.config.backupFolder, name);
      mkdirSync(path);
      utimesSync(path, new Date(), new Date(rt.now() - age));
    };
    create(".deskbell-drill-old", DAY_MS * 0.8);
    create(".deskbell-drill-new", DAY_MS / 24);
    create("drill-notes", 2 * DAY_MS);
    // A link without a target stands for a folder that another process deletes: it is listed, but
    // is not there any more.
    symlinkSync("gone", join(rt.config.backupFolder, ".deskbell-drill-gone"));
    if (cause === "drill") await drillBackup(rt);
    else await runMaintenance(rt, { backUp: true });
    expect(readdirSync(rt.config.backupFolder).filter((name) => name.includes("drill-"))).toEqual([
      ".deskbell-drill-gone",
      ".deskbell-drill-new",
      "drill-notes",
    ]);
  },
);

test("a drill of a file that does not exist is refused, and not recorded", async () => {
  const rt = await createServer();
  const path = join(rt.config.backupFolder, "typo.db");
  await expect(drillBackup(rt, path)).rejects.toThrow(`There is no file ${path}.`);
  expect(readBackupState(rt.config, "drill")).toBeNull();
});

test.each([
  {
    what: "is damaged",
    spoil: (path: string) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xa5, bytes.length - 4096));
    },
    error: /is damaged/,
  },
  {
    what: "needs another master key",
    spoil: (_path: string, key: string) =>
      writeFileSync(key, `${Buffer.alloc(32).toString("base64")}\n`),
    error: /^The master key does not decrypt 1 of 1 signing secret\.$/,
  },
])("a drill of a backup that $what fails, and is tried again the next night", async (given) => {
  const rt = await createServer();
  const { path } = await createBackup(rt);
  given.spoil(path, rt.config.masterKeyPath);
  expect(await drillBackup(rt)).toMatchObject({ error: expect.stringMatching(given.error) });
  expect(readdirSync(rt.config.backupFolder)).toHaveLength(4);
  expect(isDrillDue(rt)).toBe(true);
});

test("a drill without enough space fails before it writes", async () => {
  const rt = await createServer();
  await createBackup(rt);
  rt.freeBytes = () => 100_000_000;
  expect(await drillBackup(rt)).toMatchObject({
    error: expect.stringMatching(/^A restore needs 13\d MB .* has 100 MB free\.$/),
  });
});

test("a drill is refused if there is no backup", async () => {
  const rt = await createServer();
  await expect(drillBackup(rt)).rejects.toMatchObject({ code: "resource_not_found" });
});

test("a drill runs after the first nightly backup, and then every 30 days", async () => {
  const rt = await createServer();
  const drills = () => rt.logged.filter(({ message }) => message.includes("drill")).length;
  await runMaintenance(rt, { backUp: true });
  expect(drills()).toBe(1);
  rt.advance(29 * DAY_MS);
  await runMaintenance(rt, { backUp: true });
  expect(drills()).toBe(1);
  rt.advance(DAY_MS);
  await runMaintenance(rt, { backUp: true });
  expect(drills()).toBe(2);
  expect(rt.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a drill can restore a copy of a backup in another folder", async () => {
  const rt = await createServer();
  const { path } = await createBackup(rt);
  const elsewhere = `${rt.config.dataDir}/copy.db`;
  copyFileSync(path, elsewhere);
  rmSync(path);
  expect(await drillBackup(rt, elsewhere)).toMatchObject({ name: "copy.db", error: null });
});
