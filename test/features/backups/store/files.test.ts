import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { replaceDatabase } from "../../../../src/features/backups/store/files.ts";
import { createTempFolder } from "../../../support/cli.ts";

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
