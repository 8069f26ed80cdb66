import {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import {
  backUpNightly,
  createBackup,
  listBackups,
  verifyBackup,
} from "../../../src/features/backups/backups.ts";
import { backUpBeforeMigration } from "../../../src/features/backups/safeguard.ts";
import { backupNameBefore } from "../../../src/features/backups/store/files.ts";
import { countMigrations } from "../../../src/platform/assets.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import {
  breakMigration,
  createOldDatabase,
  listDataFiles,
  readValue,
} from "../../support/old-database.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { SALON } from "../../support/samples.ts";

const LATEST = countMigrations();
const DAY_MS = 86_400_000;
const NOON = Date.parse("2026-11-20T12:00:00Z");

test.each(Array.from({ length: LATEST - 1 }, (_, i) => i + 1))(
  "a valid backup is made before a file of schema %i is migrated",
  async (schema) => {
    const { dataDir } = createOldDatabase(schema);
    const rt = createTestRuntime({ dataDir });
    const backup = join(dataDir, `backups/before-schema-${LATEST}-20261120T120000Z.db`);
    expect(rt.logged).toEqual([
      { level: "info", message: "migrated", fields: { from: schema, to: LATEST, backup } },
    ]);
    expect(await verifyBackup(backup)).toMatchObject({ schema });
    expect(readValue(backup, "SELECT last_sequence FROM business WHERE slug = 'old-shop'")).toBe(7);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(backup)).mode & 0o777).toBe(0o700);
    expect(listBackups(rt.config)).toEqual([
      { path: backup, bytes: statSync(backup).size, createdAt: NOON },
    ]);
    expect(listDataFiles(dataDir)).toEqual([
      `backups/${basename(backup)}`,
      "deskbell.db",
      "master.key",
    ]);
  },
);

test("a failed migration leaves no backup", () => {
  const { dataDir, path } = createOldDatabase(LATEST - 1);
  breakMigration(path, LATEST);
  expect(() => createTestRuntime({ dataDir })).toThrow();
  // The deleted backup may have needed a master key for its tag.
  expect(listDataFiles(dataDir).filter((name) => name !== "master.key")).toEqual(["deskbell.db"]);
});

test("a database whose backup is invalid is not migrated", () => {
  const { dataDir, path } = createOldDatabase(3);
  const db = new Database(path);
  db.unsafeMode();
  db.exec(`CREATE TABLE ballast (n); INSERT INTO ballast VALUES (NULL); PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE TABLE ballast (n NOT NULL)' WHERE name = 'ballast'`);
  db.close();
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: expect.stringMatching(/was not migrated.*is damaged/),
    }),
  );
  expect(readValue(path, "PRAGMA user_version")).toBe(3);
  expect(listDataFiles(dataDir)).toEqual(["deskbell.db"]);
});

test("nightly pruning keeps the backup made before a migration", async () => {
  const { dataDir } = createOldDatabase(1);
  const rt = createTestRuntime({ dataDir });
  for (let night = 0; night < 8; night++) {
    rt.advance(86_400_000);
    await backUpNightly(rt);
  }
  const names = listDataFiles(dataDir).filter(
    (name) => name.endsWith(".db") && name.startsWith("backups/"),
  );
  expect(names).toHaveLength(8);
  expect(names[0]).toContain("before-schema");
});

test("two migrations in the same second make two backups", () => {
  const { dataDir, path } = createOldDatabase(1);
  createTestRuntime({ dataDir }).close();
  // The file from before the migration is put back, so that it is migrated again.
  rmSync(path);
  createOldDatabase(1, dataDir);
  const rt = createTestRuntime({ dataDir });
  expect(listBackups(rt.config).map(({ createdAt }) => createdAt)).toEqual([NOON + 1000, NOON]);
});

test("an empty database file is refused with the command that restores the newest backup, and used if there is no backup", () => {
  const { dataDir, path } = createOldDatabase(1);
  createTestRuntime({ dataDir }).close();
  const [backup] = listBackups(readConfig({ dataDir }, {}));
  truncateSync(path, 0);
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      fix: expect.stringContaining(`deskbell restore ${backup?.path};`),
    }),
  );
  expect(statSync(path).size).toBe(0);
  rmSync(join(dataDir, "backups"), { recursive: true });
  rmSync(join(dataDir, "master.key"));
  expect(createTestRuntime({ dataDir }).store.businesses.list()).toEqual([]);
});

test("the fix for a lost database file names the newest intact backup, or the newest backup if none is intact", () => {
  const dataDir = createTempFolder();
  const config = readConfig({ dataDir }, {});
  const { backupFolder } = config;
  mkdirSync(backupFolder);
  const pathAt = (day: number) => join(backupFolder, backupNameBefore(LATEST, NOON + day * DAY_MS));
  const find = () => backUpBeforeMigration.findCopy(config);
  expect(find()).toBeUndefined();
  for (const day of [0, 1]) writeFileSync(pathAt(day), "damaged");
  expect(find()).toBe(pathAt(1));
  rmSync(pathAt(0));
  const rt = createTestRuntime();
  rt.close();
  copyFileSync(rt.config.databasePath, pathAt(0));
  expect(find()).toBe(pathAt(0));
});

test("an empty database file next to a master key is not a new installation", () => {
  const dataDir = createTempFolder();
  const path = join(dataDir, "deskbell.db");
  writeFileSync(path, "");
  writeFileSync(join(dataDir, "master.key"), "");
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: `${path} is empty, but the master key of its data exists.`,
      fix: expect.stringContaining("deskbell restore FILE"),
    }),
  );
  expect(statSync(path).size).toBe(0);
  rmSync(path);
  createTestRuntime({ dataDir });
});

test("following the fix for an empty database file next to backups creates a new database", async () => {
  const dataDir = join(createTempFolder(), "with space");
  const rt = createTestRuntime({ dataDir });
  const { path } = await createBackup(rt);
  rt.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(rt.config.databasePath + suffix, { force: true });
  writeFileSync(rt.config.databasePath, "");
  const { backupFolder } = rt.config;
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      message: `${rt.config.databasePath} is empty, but there are backups of it.`,
      fix: `put the file back, or deskbell restore '${path}'; or delete the empty file and move ${backupFolder} away to start from scratch`,
    }),
  );
  rmSync(rt.config.databasePath);
  renameSync(backupFolder, `${backupFolder}.away`);
  createTestRuntime({ dataDir });
});

test("a missing database file is not replaced by a new one if there are backups of it", async () => {
  const dataDir = createTempFolder();
  const rt = createTestRuntime({ dataDir });
  const { path } = await createBackup(rt);
  rt.close();
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(rt.config.databasePath + suffix, { force: true });
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: `There is no ${rt.config.databasePath}, but there are backups of it.`,
      fix: expect.stringContaining(`deskbell restore ${path}`),
    }),
  );
  const { deskbell } = createTerminal({ dataDir });
  expect((await deskbell("status")).stderr).toMatch(/fix: .*deskbell restore --newest/);
  expect(await deskbell("restore --newest --yes")).toMatchObject({ code: 0 });
  expect(await deskbell("status")).toMatchObject({ stderr: "" });
});

test.skipIf(process.platform !== "linux")(
  "every command reports data that were deleted while a process had them open, and creates no new data",
  async () => {
    const dataDir = join(createTempFolder(), "data");
    createTestRuntime({ dataDir });
    rmSync(dataDir, { recursive: true });
    const { deskbell } = createTerminal({ dataDir });
    for (const line of ["businesses list", "status", `catalog apply ${SALON}`])
      expect(await deskbell(line)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^error: \S+deskbell\.db was deleted while process \d+ uses it.*\nfix: stop it with kill \d+, then restore a backup: deskbell restore FILE/,
        ),
      });
  },
);
