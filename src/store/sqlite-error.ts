import type Database from "better-sqlite3";

/**
 * Checks the name, not the class: each bundle has its own copy of the class, and better-sqlite3
 * throws the one that was loaded first in the process.
 */
export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Error && error.name === "SqliteError";
