import { existsSync } from "node:fs";
import { readMigrations } from "../assets.ts";
import type { Db } from "./db.ts";
import { withReadOnlyDatabase } from "./read-only-database.ts";

/** What can be told of a database file without changing anything in it. */
export type DatabaseFacts = {
  sqlite: string;
  bytes: number;
  schema: number;
  /** The schema of this deskbell. */
  knownSchema: number;
  /** What SQLite finds wrong with it; null: nothing. */
  damage: string | null;
  /** Tables with rows that belong to nothing. */
  orphansIn: string[];
};

/** Whether a file is there that this deskbell would open as it is. */
export const hasCurrentSchema = (path: string): boolean =>
  existsSync(path) &&
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("PRAGMA user_version").pluck().get() === readMigrations().length,
  );

/**
 * Reads the whole file.
 * @throws AppError for one that is no database, or so damaged that it cannot even be read
 */
export const readDatabaseFacts = (path: string): DatabaseFacts => withReadOnlyDatabase(path, read);

function read(db: Db): DatabaseFacts {
  const one = (sql: string): unknown => db.prepare(sql).pluck().get();
  const finding = one("PRAGMA quick_check(1)") as string;
  return {
    sqlite: one("SELECT sqlite_version()") as string,
    bytes: one(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    ) as number,
    schema: one("PRAGMA user_version") as number,
    knownSchema: readMigrations().length,
    damage: finding === "ok" ? null : finding.replaceAll(/\s+/g, " ").trim(),
    orphansIn: db
      .prepare(`SELECT DISTINCT "table" FROM pragma_foreign_key_check()`)
      .pluck()
      .all() as string[],
  };
}
