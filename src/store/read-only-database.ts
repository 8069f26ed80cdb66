import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import type { Db } from "./db.ts";
import { isSqliteError } from "./sqlite-error.ts";

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

/** Converts SQLite's errors on unreadable files to AppErrors. */
export function unreadableError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB")
    return new AppError("invalid_input", `Invalid database ${path}: expected a SQLite file.`);
  if (error.code.startsWith("SQLITE_CORRUPT")) return damagedError(path, error.message);
  // To read a database in WAL mode, SQLite creates files in its folder.
  if (/^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code))
    return new AppError("not_permitted", `Cannot read ${path}.`, {
      fix: "check the owner and mode of the file and its folder",
    });
  return error;
}

/** @param details the problem that SQLite reports */
export const damagedError = (path: string, details: string): AppError =>
  new AppError("invalid_input", `${path} is damaged: ${details.replaceAll(/\s+/g, " ").trim()}.`, {
    fix: "choose another backup: deskbell backup list",
  });
