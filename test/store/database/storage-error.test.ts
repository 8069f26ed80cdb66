import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import {
  isSyncFailure,
  storageError,
  isStorageFull,
  parseJson,
  DamagedDatabaseError,
} from "../../../src/store/database/storage-error.ts";
import { openDatabase } from "../../../src/store/database/database.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { canMount, mountSmallDisk } from "../../support/small-disk.ts";
import { createRequire } from "node:module";
import { isBusy } from "../../../src/store/database/write-lock.ts";
import { unreadableError } from "../../../src/store/database/read-only-database.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { assertDatabaseUsable } from "../../../src/cli/running/daemon.ts";
import { createPublicPageStore } from "../../../src/features/public-pages/store.ts";
import { seedShop } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test.each<[string, ErrorCode]>([
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_BUSY_RECOVERY", "busy"],
  ["SQLITE_BUSY_SNAPSHOT", "busy"],
  ["SQLITE_BUSY_TIMEOUT", "busy"],
  ["SQLITE_LOCKED_SHAREDCACHE", "busy"],
  ["SQLITE_PROTOCOL", "busy"],
  ["SQLITE_FULL", "storage_full"],
  ["SQLITE_IOERR_SHMSIZE", "storage_full"],
  ["SQLITE_CORRUPT", "storage_failed"],
  ["SQLITE_CORRUPT_INDEX", "storage_failed"],
  ["SQLITE_NOTADB", "storage_failed"],
  ["SQLITE_CANTOPEN_ISDIR", "not_permitted"],
  ["SQLITE_READONLY", "not_permitted"],
  ["SQLITE_READONLY_DIRECTORY", "not_permitted"],
  ["SQLITE_PERM", "not_permitted"],
  ["SQLITE_IOERR_READ", "storage_failed"],
  ["SQLITE_IOERR_FSYNC", "storage_failed"],
])("%s is reported as %s, with the file and a fix", (sqliteCode, code) => {
  const path = join(createTempFolder(), "deskbell.db");
  writeFileSync(path, "");
  const error = storageError(new Database.SqliteError("details", sqliteCode), path);
  expect(error).toMatchObject({ code, message: expect.stringContaining(path) });
  expect(error?.fix).toBeTruthy();
});

test("an I/O error names the disk", () => {
  const error = new Database.SqliteError("disk I/O error", "SQLITE_IOERR_WRITE");
  expect(storageError(error, "/proc/self/status")?.message).toBe(
    "The disk that holds /proc/self/status (proc on /proc) failed: disk I/O error (SQLITE_IOERR_WRITE).",
  );
});

test.each([
  ["SQLITE_CANTOPEN", "the database cannot be opened for writing."],
  [
    "SQLITE_IOERR_WRITE",
    "The disk that holds the database failed: disk I/O error (SQLITE_IOERR_WRITE).",
  ],
])("%s of a database whose path is not known names no disk", (code, message) => {
  const error = new Database.SqliteError("disk I/O error", code);
  expect(storageError(error)).toMatchObject({ message });
});

test.skipIf(!canMount())(
  "a database whose path is not known is not looked for in the current folder",
  () => {
    const { folder } = mountSmallDisk(1, 1);
    const current = process.cwd();
    process.chdir(folder);
    try {
      expect(storageError(new Database.SqliteError("x", "SQLITE_CANTOPEN"))).toMatchObject({
        code: "not_permitted",
      });
    } finally {
      process.chdir(current);
    }
  },
);

test.skipIf(!canMount())("a disk without room for a new database file is reported as full", () => {
  const { folder } = mountSmallDisk(1, 1);
  const path = join(folder, "deskbell.db");
  const full = {
    code: "storage_full",
    message: `The disk that holds ${path} is full.`,
    fix: `delete files that are not needed (df -i ${folder} shows how full it is) and try again`,
  };
  expect(() => openDatabase(path, 0, null)).toThrow(expect.objectContaining(full));
});

test("a file system that counts no files is not reported as full", () => {
  const error = new Database.SqliteError("unable to open database file", "SQLITE_CANTOPEN");
  expect(storageError(error, "/proc/deskbell.db")).toMatchObject({ code: "not_permitted" });
});

test("an error that storageError does not know is a bug", () => {
  expect(storageError(new TypeError("x"), "a.db")).toBeUndefined();
  expect(storageError(new Database.SqliteError("x", "SQLITE_CONSTRAINT"), "a.db")).toBeUndefined();
});

test.each([
  ["SQLITE_IOERR_FSYNC", true],
  ["SQLITE_IOERR_DIR_FSYNC", true],
  ["SQLITE_IOERR_WRITE", false],
])("%s counts as a failed fsync: %s", (code, expected) => {
  expect(isSyncFailure(new Database.SqliteError("x", code))).toBe(expected);
});

/** Returns the SqliteError of another copy of better-sqlite3: each bundle has a copy of its own. */
function classOfAnotherCopy(): typeof Database.SqliteError {
  const require = createRequire(import.meta.url);
  const path = require.resolve("better-sqlite3").replace(/index\.js$/, "sqlite-error.js");
  const known = require.cache[path];
  delete require.cache[path];
  try {
    return require(path) as typeof Database.SqliteError;
  } finally {
    require.cache[path] = known;
  }
}

test("SqliteError is recognized by its name, because each bundle has its own class", () => {
  const Other = classOfAnotherCopy();
  const busy = new Other("database is locked", "SQLITE_BUSY");
  expect(busy).not.toBeInstanceOf(Database.SqliteError);
  expect(isBusy(busy)).toBe(true);
  expect(isStorageFull(new Other("database or disk is full", "SQLITE_FULL"))).toBe(true);
  expect(unreadableError(new Other("not a database", "SQLITE_NOTADB"), "x.db")).toMatchObject({
    code: "invalid_input",
  });
  expect(isBusy(Object.assign(new Error("no"), { code: "SQLITE_BUSY" }))).toBe(false);
});

test("the error of a damaged value names its column and contains nothing of the value", () => {
  const parse = () => parseJson('{"name":"Ana Qanary"', "booking_segment.addons");
  expect(parse).toThrow(DamagedDatabaseError);
  expect(parse).toThrow(
    /^the database is damaged or is not a database: booking_segment\.addons is not valid JSON\.$/,
  );
  expect(() => parseJson("Ana Qanary", "booking_segment.addons")).toThrow(/^((?!Ana).)*$/);
});

test("a query that looks into a damaged document reports the database as damaged", () => {
  const rt = createTestRuntime();
  seedShop(rt);
  const db = new Database(rt.config.databasePath);
  db.pragma("ignore_check_constraints = ON");
  // An update of this index would refuse the damage.
  db.exec("DROP INDEX business_published; UPDATE business SET doc = '{' || doc");
  db.close();
  const list = rt.openStore(createPublicPageStore).listPublishedSlugs;
  const error = (() => {
    try {
      return list();
    } catch (thrown) {
      return storageError(thrown, "deskbell.db");
    }
  })();
  expect(error).toBeInstanceOf(DamagedDatabaseError);
  expect(error).toMatchObject({ message: expect.stringContaining("is not valid JSON") });
});

const TABLES = ["audit_retention", "history", "server"];

test("a new database has one row in three tables, and none in the others", () => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck()
    .all() as string[];
  const filled = tables.filter((table) => db.prepare(`SELECT 1 FROM ${table}`).get() !== undefined);
  db.close();
  expect(filled.toSorted()).toEqual(TABLES);
});

test.each(TABLES)("a missing row of the table %s is damage, not a bug", async (table) => {
  const rt = createTestRuntime();
  const db = new Database(rt.config.databasePath);
  db.exec(`DELETE FROM ${table}`);
  db.close();
  const missing = `the row of its table '${table}' is missing`;
  const damage = listDaemonConditions(rt, CHECKS).filter(({ code }) => code === "database.damaged");
  expect(damage).toMatchObject([{ text: expect.stringContaining(missing) }]);
  await expect(assertDatabaseUsable(rt)).rejects.toThrow(DamagedDatabaseError);
  const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
  for (const line of ["status", "audit list", "businesses list"])
    expect((await deskbell(line)).stderr).not.toMatch(/bug/);
});

test.each([
  ["server", "log_kept_since"],
  ["history", "cut_until"],
  ["history", "retention_at"],
])("a value of %s.%s that is not a valid time is damage, and not a bug", async (table, column) => {
  const rt = createTestRuntime();
  rt.close();
  const db = new Database(rt.config.databasePath);
  db.exec(`UPDATE ${table} SET ${column} = 9000000000000000000`);
  db.close();
  const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
  const { stdout, stderr } = await deskbell("status");
  expect(stdout + stderr).toContain(`${table}.${column} is not a time`);
  expect(stderr).not.toContain("bug");
});
