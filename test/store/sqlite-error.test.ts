import { createRequire } from "node:module";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { isStorageFull } from "../../src/store/storage-error.ts";
import { isBusy } from "../../src/store/write-lock.ts";
import { unreadableError } from "../../src/store/read-only-database.ts";

/** The class of another copy of the library; each bundle has its own copy. */
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

test("recognizes SqliteError by name when two bundles are loaded", () => {
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
