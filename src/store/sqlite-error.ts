import type Database from "better-sqlite3";

/**
 * Whether SQLite says no. By its name: the daemon's bundle has a class of its own, and what is thrown is of whichever class came
 * first in the process.
 */
export const isSqliteError = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Error && error.name === "SqliteError";
