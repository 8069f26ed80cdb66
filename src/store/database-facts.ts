import { existsSync } from "node:fs";
import { readMigrations } from "../assets.ts";
import type { Db } from "./db.ts";
import { withReadOnlyDatabase } from "./read-only-database.ts";

/** What `doctor` reads from a database file, without changing it. */
export type DatabaseFacts = {
  sqlite: string;
  bytes: number;
  schema: number;
  /** The schema of this version. */
  knownSchema: number;
  /** The problem that SQLite reports, or null. */
  damage: string | null;
  /** Tables with rows whose foreign key refers to nothing. */
  orphansIn: string[];
};

/** Whether the file exists and needs no migration. */
export const hasCurrentSchema = (path: string): boolean =>
  existsSync(path) &&
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("PRAGMA user_version").pluck().get() === readMigrations().length,
  );

/**
 * Reads the whole file.
 * @throws AppError if it is not a database, or too damaged to be read
 */
export const readDatabaseFacts = (path: string): DatabaseFacts => withReadOnlyDatabase(path, read);

function read(db: Db): DatabaseFacts {
  const one = (sql: string): unknown => db.prepare(sql).pluck().get();
  const check = one("PRAGMA quick_check(1)") as string;
  return {
    sqlite: one("SELECT sqlite_version()") as string,
    bytes: one(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    ) as number,
    schema: one("PRAGMA user_version") as number,
    knownSchema: readMigrations().length,
    damage: check === "ok" ? null : check.replaceAll(/\s+/g, " ").trim(),
    orphansIn: db
      .prepare(`SELECT DISTINCT "table" FROM pragma_foreign_key_check()`)
      .pluck()
      .all() as string[],
  };
}
