import type Database from "better-sqlite3";

/** A better-sqlite3 connection. */
export type Db = Database.Database;
