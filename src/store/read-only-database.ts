import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import type { Db } from "./db.ts";
import { isSqliteError } from "./sqlite-error.ts";

const WAIT_MS = 5000;

/**
 * Opens a database file for one look, which changes nothing in it.
 * @throws AppError for one that is no database, or so damaged that it cannot even be read
 */
export function withReadOnlyDatabase<Found>(path: string, look: (db: Db) => Found): Found {
  try {
    const db = new Database(path, { readonly: true, timeout: WAIT_MS });
    try {
      return look(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw unreadableError(error, path);
  }
}

/** What a person is told of a file that cannot be read as a database. */
export function unreadableError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB")
    return new AppError("invalid_input", `${path} is no database.`);
  if (error.code.startsWith("SQLITE_CORRUPT")) return damagedError(path, error.message);
  // To read a database in WAL mode, SQLite puts files beside it.
  if (/^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code))
    return new AppError("not_permitted", `${path} cannot be read.`, {
      fix: "check the owner and mode of the file and of its folder",
    });
  return error;
}

/** @param finding what SQLite says of it */
export const damagedError = (path: string, finding: string): AppError =>
  new AppError("invalid_input", `${path} is damaged: ${finding.replaceAll(/\s+/g, " ").trim()}.`, {
    fix: "deskbell backup list, and take another one",
  });
