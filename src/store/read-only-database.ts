import { existsSync } from "node:fs";
import { readMigrations } from "../assets.ts";
import { type Db, isSqliteError } from "./db.ts";
import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { storageError } from "./storage-error.ts";

export type DatabaseFacts = {
  sqlite: string;
  bytes: number;
  schema: number;
  /** Of this version. */
  knownSchema: number;
  /** The problem that SQLite reports, or null. */
  damage: string | null;
  /** Tables with rows that refer to nothing. */
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

const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a database file read-only and passes it to `read`.
 * @throws AppError if it is not a database, or too damaged to be read
 */
export function withReadOnlyDatabase<Result>(path: string, read: (db: Db) => Result): Result {
  try {
    const db = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw unreadableError(error, path);
  }
}

export function unreadableError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB")
    return new AppError("invalid_input", `Invalid database ${path}: expected a SQLite file.`);
  if (error.code.startsWith("SQLITE_CORRUPT")) return damagedBackupError(path, error.message);
  // To read a database in WAL mode, SQLite creates files in its folder.
  if (/^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code))
    return new AppError("not_permitted", `Cannot read ${path}.`, {
      fix: "check the owner and mode of the file and its folder",
    });
  return storageError(error, path) ?? error;
}

/** @param details the problem that SQLite reports */
export const damagedBackupError = (path: string, details: string): AppError =>
  new AppError("invalid_input", `${path} is damaged: ${details.replaceAll(/\s+/g, " ").trim()}.`, {
    fix: "choose another backup: deskbell backup list",
  });
