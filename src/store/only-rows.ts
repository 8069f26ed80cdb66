import type { Db } from "./db.ts";
import { DamagedDatabaseError } from "./storage-error.ts";

// A migration creates the only row of each of these tables, and nothing deletes it. Damage of the
// file can make it disappear without an error of SQLite.
const TABLES = ["history", "server", "audit_retention"];

const describe = (table: string): string => `the row of its table '${table}' is missing`;

/** Returns what is wrong if a table that must have one row has none; undefined if all have it. */
export function findMissingRow(db: Db): string | undefined {
  const existing = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  const empty = TABLES.find(
    (table) =>
      existing.includes(table) && db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined,
  );
  return empty && describe(empty);
}

/**
 * @param row the result of a SELECT from the table
 * @throws DamagedDatabaseError if there is none
 */
export function assertOnlyRow<Row>(db: Db, table: string, row: Row | undefined): Row {
  if (row === undefined) throw new DamagedDatabaseError(db.name, describe(table));
  return row;
}
