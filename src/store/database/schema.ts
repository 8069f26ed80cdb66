import Database from "better-sqlite3";
import { readBuiltSchema, readMigrations, countMigrations } from "../../platform/assets.ts";
import { type Db, isSqliteError } from "./db.ts";
import { parseJson, findMissingRow } from "./storage-error.ts";
import { rmSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { memoized } from "../../domain/lazy.ts";

// A database has the schema that the migrations up to its version create. If the schema differs, a
// disk or another program has changed it. SQLite itself does not report such a change as damage.

type SchemaEntry = [type: string, name: string, table: string, sql: string | null];

/** Tables that SQLite's ANALYZE or Litestream adds, as SQLite stores them. */
const ADDED_TABLES = new Set([
  "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
  "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
  "CREATE TABLE sqlite_sequence(name,seq)",
  "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
  "CREATE TABLE _litestream_lock (id INTEGER)",
]);

/**
 * SQL comments that have been reworded since version 0.1. Each pair is the text in databases that
 * version 0.1 created, and the text in today's migrations.
 */
const RESPELLED = [
  [
    "-- Rises with each insert: whatever is new to the courier lies above the last one it has seen.",
    "-- Rises with each insert, so the delivery worker finds new rows above the last number it has\n  -- seen.",
  ],
  [
    "-- 0 once the booking is cancelled: what is free is asked far more often than what was.",
    "-- 0 once the booking is cancelled, so that availability queries read only active segments.",
  ],
  [
    "-- SHA-256 of the code that admits its holder, which is nowhere on file.",
    "-- SHA-256 of the admission code, which is not stored.",
  ],
  [
    "-- By which a daemon tells what it has in memory from what is on file.",
    "-- Shows a daemon whether its cache is current.",
  ],
] as const;

/** Lists every object of the schema, automatic indexes included, each as a JSON array. */
const listEntries = (db: Db): string[] =>
  db
    .prepare("SELECT json_array(type, name, tbl_name, sql) FROM sqlite_schema")
    .pluck()
    .all() as string[];

/** Returns an entry of the schema with today's comments. */
function respell(entry: string): string {
  const [type, name, table, sql] = parseJson<SchemaEntry>(entry, "sqlite_schema.sql");
  const respelled = RESPELLED.reduce(
    (text, [before, now]) => text && text.replace(before, now),
    sql,
  );
  return JSON.stringify([type, name, table, respelled]);
}

/** Returns whether an entry is a table that ANALYZE or Litestream adds, with its name undamaged. */
function isAdded(entry: string): boolean {
  const [type, name, table, sql] = parseJson<SchemaEntry>(entry, "sqlite_schema.sql");
  return (
    type === "table" &&
    name === table &&
    sql !== null &&
    ADDED_TABLES.has(sql) &&
    sql.startsWith(`CREATE TABLE ${name}`)
  );
}

/** Returns the entries of the schema that the migrations create. */
export function createSchema(migrations: readonly string[]): string[] {
  const db = new Database(":memory:");
  try {
    for (const sql of migrations) db.exec(sql);
    return listEntries(db);
  } finally {
    db.close();
  }
}

/** The entries of a version are cached, because running all migrations takes 50 ms. */
const entriesOfVersion = memoized((version: number): string[] => {
  const built = readBuiltSchema();
  if (built?.version === version) return built.entries;
  const migrations = readMigrations();
  return version > migrations.length ? [] : createSchema(migrations.slice(0, version));
});

/**
 * Returns the entries of the schema that the database should have; none if the database is newer
 * than this deskbell.
 */
const listKnownEntries = (db: Db): string[] =>
  entriesOfVersion(db.pragma("user_version", { simple: true }) as number);

/**
 * Describes the first part of the schema that is missing or changed, or else a missing row that
 * every database must have; undefined if there is none.
 */
export function findChangedPart(db: Db): string | undefined {
  const entries = listEntries(db);
  const missing = findMissing(listKnownEntries(db), entries);
  // An entry with the comments of version 0.1 is equal only after it was respelled.
  const [changed] = missing.length === 0 ? [] : findMissing(missing, entries.map(respell));
  return changed ? `its ${describe(changed)} is missing or was changed` : findMissingRow(db);
}

/** Returns a part of the schema that no migration created, such as `trigger 'x'`. */
export function findForeignPart(db: Db): string | undefined {
  const known = listKnownEntries(db);
  const unknown = findMissing(listEntries(db), known).filter((entry) => !isAdded(entry));
  const [foreign] = findMissing(unknown.map(respell), known);
  return foreign && describe(foreign);
}

/** Returns the entries that the others lack, compared byte for byte. */
function findMissing(entries: readonly string[], others: readonly string[]): string[] {
  const present = new Set(others);
  return entries.filter((entry) => !present.has(entry));
}

const describe = (entry: string): string => {
  const [, type, name] = /^\["(.*?)","(.*?)",/.exec(entry) ?? [];
  return `${type} '${name}'`;
};

/** SQLITE_IOERR, in the lowest byte of SQLite's extended error codes. */
const IO_ERROR = 10;

/**
 * Throws if the disk could not read a page, which SQLite's check reports as damage.
 * @param result the text that the check returned
 * @throws SqliteError
 */
function assertReadable(result: string): void {
  const [, code = "0"] = /unable to get the page\. error code=(\d+)/.exec(result) ?? [];
  if ((Number(code) & 0xff) === IO_ERROR)
    throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_READ");
}

/**
 * Reads the whole file.
 * @returns the first problem of the schema, or else the first that SQLite finds in the file
 */
export function findDamage(db: Db): string | undefined {
  const changed = findChangedPart(db);
  if (changed !== undefined) return changed;
  const result = db.pragma("integrity_check(1)", { simple: true }) as string;
  assertReadable(result);
  return result === "ok" ? undefined : result;
}

/**
 * Returns the damage of the schema that made SQLite reject a statement. If the schema is intact,
 * returns undefined: the error is then a bug. Other errors return undefined, too.
 */
export function findSchemaDamage(error: unknown, db: Db): string | undefined {
  if (!isSqliteError(error) || !/^SQLITE_(?:ERROR|CONSTRAINT)/.test(error.code)) return undefined;
  const changed = findChangedPart(db);
  return changed && `${changed} (${error.message})`;
}

/** Protects existing data during a migration. */
export type Safeguard = {
  /** Throws if the file is empty although copies of it exist. */
  assertNoDataLoss: () => void;
  /** Copies the committed data. @returns the path of the copy; undefined if no feature makes one */
  backUp: (schema: number) => string | undefined;
  /** Prevents daemons from starting until released; throws if one is running. */
  lockOutDaemons: () => { release: () => void };
};

/** The schema before and after, and the path of the backup that was made before, if any. */
export type Migration = { from: number; to: number; backup: string | undefined };

/** How long to wait for a migration by another process, including its backup. */
const MIGRATION_TIMEOUT_MS = 120_000;

/**
 * Migrates a file to this version's schema in one transaction, for which other processes wait.
 * @param safeguard null for a copy, which needs no backup
 * @returns null if nothing was migrated, or if the file was new or a copy
 * @throws AppError state_refuses for a newer file, and if a daemon is running on an older one
 */
export function migrate(db: Db, path: string, safeguard: Safeguard | null): Migration | null {
  const newest = countMigrations();
  if (readSchemaVersion(db, path, newest) === newest) return null;
  const migrations = readMigrations();
  const busyTimeoutMs = db.pragma("busy_timeout", { simple: true }) as number;
  db.pragma(`busy_timeout = ${MIGRATION_TIMEOUT_MS}`);
  // A migration can recreate a table that other tables reference: dropping the old one would delete
  // their rows. SQLite ignores this setting within a transaction.
  db.pragma("foreign_keys = OFF");
  try {
    return db.transaction(() => migrateLocked(db, path, migrations, safeguard)).immediate();
  } finally {
    db.pragma("foreign_keys = ON");
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

/** @throws AppError state_refuses if a newer deskbell wrote the file */
function readSchemaVersion(db: Db, path: string, newest: number): number {
  const schema = db.pragma("user_version", { simple: true }) as number;
  if (schema <= newest) return schema;
  throw new AppError(
    "state_refuses",
    `${path} was written by a newer deskbell (schema ${schema}; this one supports ${newest}).`,
    { fix: "start the newer deskbell, or restore a backup made by this version" },
  );
}

function migrateLocked(
  db: Db,
  path: string,
  migrations: string[],
  safeguard: Safeguard | null,
): Migration | null {
  const to = migrations.length;
  // The version is read again, because another process may have migrated the file while this one
  // waited for the lock.
  const from = readSchemaVersion(db, path, to);
  if (from === to) return null;
  const isSafeguarded = safeguard !== null && from > 0;
  const lock = isSafeguarded ? safeguard.lockOutDaemons() : undefined;
  let backup: string | undefined;
  try {
    if (isSafeguarded) backup = safeguard.backUp(to);
    for (const sql of migrations.slice(from)) db.exec(sql);
    db.pragma(`user_version = ${to}`);
    return isSafeguarded ? { from, to, backup } : null;
  } catch (error) {
    if (backup !== undefined) rmSync(backup, { force: true });
    throw error;
  } finally {
    lock?.release();
  }
}
