import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import {
  readAuditLog,
  readCounters,
  readServerId,
  replaceDatabase,
} from "../../../../src/features/backups/store/files.ts";
import { createTempFolder } from "../../../support/cli.ts";

// A locked database fails at once in these tests, not after five seconds.
vi.mock("better-sqlite3", async (importOriginal) => {
  const { default: Original } = await importOriginal<{ default: typeof Database }>();
  class Impatient extends Original {
    constructor(path: string, options: Database.Options = {}) {
      super(path, { ...options, timeout: 0 });
    }
  }
  return { default: Impatient };
});

test("a file that replaces the database keeps the changes that are still in its log", () => {
  const folder = createTempFolder();
  const [path, draft] = [join(folder, "deskbell.db"), join(folder, "deskbell.db.restoring")];
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE fact (text)");
  // The draft still has a log, as after a write that failed while the file was closed.
  for (const log of ["", "-wal"]) copyFileSync(path + log, draft + log);
  db.close();
  replaceDatabase(path, draft, join(folder, "copy"));
  const replaced = new Database(path, { readonly: true });
  expect(replaced.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["fact"]);
  replaced.close();
});

test("a database that another program had open is replaced once that program has closed it", () => {
  const folder = createTempFolder();
  const [path, draft] = [join(folder, "deskbell.db"), join(folder, "deskbell.db.restoring")];
  for (const [file, table] of [
    [path, "old"],
    [draft, "new"],
  ] as const) {
    const db = new Database(file);
    db.exec(`CREATE TABLE ${table} (text)`);
    db.pragma("journal_mode = WAL");
    db.close();
  }
  const other = new Database(path);
  other.prepare("SELECT * FROM old").all();
  const replace = () => replaceDatabase(path, draft, join(folder, "copy"));
  expect(replace).toThrow(expect.objectContaining({ code: "busy" }));
  other.close();
  replace();
  const replaced = new Database(path, { readonly: true });
  expect(replaced.prepare("SELECT name FROM sqlite_schema").pluck().all()).toEqual(["new"]);
  replaced.close();
});

test.each([
  { what: "counters", read: readCounters },
  { what: "an audit log", read: readAuditLog },
  { what: "a server ID", read: readServerId },
])("a locked database is an error, not a database without $what", ({ read }) => {
  const path = join(createTempFolder(), "deskbell.db");
  const other = new Database(path);
  other.exec("CREATE TABLE fact (text); BEGIN EXCLUSIVE");
  expect(() => read(path)).toThrow("database is locked");
  other.close();
  expect(() => read(path)).not.toThrow();
});
