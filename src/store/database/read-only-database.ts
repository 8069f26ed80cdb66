import { existsSync, readFileSync } from "node:fs";
import { countMigrations } from "../../platform/assets.ts";
import { type Db, isSqliteError } from "./db.ts";
import { findSchemaDamage } from "./schema.ts";
import Database from "better-sqlite3";
import { AppError } from "../../domain/errors.ts";
import { isOnReadOnlyDisk, storageError } from "./storage-error.ts";

/** Returns whether the file exists and needs no migration. */
export const hasCurrentSchema = (path: string): boolean =>
  existsSync(path) &&
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("PRAGMA user_version").pluck().get() === countMigrations(),
  );

const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a database file read-only and passes it to `read`.
 * @throws AppError if the file is not a database, or too damaged to be read
 */
export function withReadOnlyDatabase<Result>(path: string, read: (db: Db) => Result): Result {
  try {
    const db = isOnReadOnlyDisk(path)
      ? openOnReadOnlyDisk(path)
      : new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      // The schema of a file from elsewhere must not call functions with side effects.
      db.pragma("trusted_schema = OFF");
      return read(db);
    } catch (error) {
      const damage = findSchemaDamage(error, db);
      throw damage === undefined ? error : damagedBackupError(path, damage);
    } finally {
      db.close();
    }
  } catch (error) {
    throw unreadableError(error, path);
  }
}

export const readBusinesses = (path: string): { id: string; slug: string }[] =>
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("SELECT id, slug FROM business").all() as { id: string; slug: string }[],
  );

/** Bytes 18 and 19 of the header: 2 for a file in WAL mode, 1 for any other. */
const JOURNAL_MODE_AT = 18;

/**
 * Opens a database for reading where SQLite cannot create the files that WAL mode needs. These
 * files do not exist after a clean stop, so the database is read into memory. After a crash they
 * exist, and contain the last changes.
 */
export function openOnReadOnlyDisk(path: string): Db {
  if (existsSync(`${path}-wal`)) return new Database(path, { readonly: true });
  const bytes = readFileSync(path);
  bytes.fill(1, JOURNAL_MODE_AT, JOURNAL_MODE_AT + 2);
  const db = new Database(bytes);
  // A write must fail, because it would change only the memory.
  db.pragma("query_only = ON");
  return db;
}

/**
 * Returns the AppError for an error of SQLite that has a known reason; any other error as it is.
 */
export function unreadableError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB")
    return new AppError("invalid_input", `Invalid database ${path}: expected a SQLite file.`);
  if (error.code.startsWith("SQLITE_CORRUPT")) return damagedBackupError(path, error.message);
  // SQLite creates files in the folder even to read a database in WAL mode, so the folder must be
  // writable. `storageError` has a text of its own for a read-only disk.
  if (/^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code) && !isOnReadOnlyDisk(path))
    return new AppError("not_permitted", `Cannot read ${path}.`, {
      fix: "check the owner and mode of the file and its folder",
    });
  return storageError(error, path) ?? error;
}

/** @param details the problem that was found */
export const damagedBackupError = (path: string, details: string): AppError =>
  new AppError("invalid_input", `${path} is damaged: ${details.replaceAll(/\s+/g, " ").trim()}.`, {
    fix: "choose another backup: deskbell backup list",
  });
