import { existsSync, readFileSync } from "node:fs";
import { countMigrations } from "../../platform/assets.ts";
import { type Db, isSqliteError } from "./db.ts";
import {
  createEndpointSecretStore,
  listSecrets,
  listSecretTables,
  type SealedRow,
  createGuestStore,
  type GuestRow,
} from "../sealed.ts";
import { findDamage, findSchemaDamage } from "./schema.ts";
import Database from "better-sqlite3";
import { AppError } from "../../domain/errors.ts";
import { isOnReadOnlyDisk, storageError } from "./storage-error.ts";

export type DatabaseFacts = {
  sqlite: string;
  bytes: number;
  schema: number;
  /** The newest schema that this version of deskbell knows. */
  knownSchema: number;
  /** The problem that SQLite or a comparison of the schema finds; null if there is none. */
  damage: string | null;
  /** Tables with rows that refer to a missing row. */
  orphansIn: string[];
  /** Whether Litestream has replicated the file. */
  hasLitestreamTables: boolean;
};

/** Returns whether the file exists and needs no migration. */
export const hasCurrentSchema = (path: string): boolean =>
  existsSync(path) &&
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("PRAGMA user_version").pluck().get() === countMigrations(),
  );

/**
 * Reads the whole file.
 * @throws AppError if the file is not a database, or too damaged to be read
 */
export const readDatabaseFacts = (path: string): DatabaseFacts => withReadOnlyDatabase(path, read);

function read(db: Db): DatabaseFacts {
  const one = (sql: string): unknown => db.prepare(sql).pluck().get();
  return {
    sqlite: one("SELECT sqlite_version()") as string,
    bytes: one(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    ) as number,
    schema: one("PRAGMA user_version") as number,
    knownSchema: countMigrations(),
    damage: findDamage(db)?.replaceAll(/\s+/g, " ").trim() ?? null,
    orphansIn: db
      .prepare(`SELECT DISTINCT "table" FROM pragma_foreign_key_check()`)
      .pluck()
      .all() as string[],
    hasLitestreamTables:
      one(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name GLOB '_litestream_*'",
      ) !== 0,
  };
}

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
      // A file from elsewhere must not call functions that are meant for SQLite's own code.
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

/** Returns the number of rows of each table; a table that an older version lacks is left out. */
export const countRows = (path: string, tables: readonly string[]): Record<string, number> =>
  withReadOnlyDatabase(path, (db) => {
    const existing = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      tables
        .filter((table) => existing.includes(table))
        .map((table) => [
          table,
          db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
        ]),
    );
  });

/** `needsKey` tells whether anything in the file is encrypted with a master key. */
type ServerFacts = { server: string; schema: number; needsKey: boolean };

/**
 * Returns what identifies the server of a file. The ID is empty if an old version made the file.
 */
export const readServerFacts = (path: string): ServerFacts =>
  withReadOnlyDatabase(path, (db) => ({
    server: hasTable(db, "server")
      ? (db.prepare("SELECT id FROM server").pluck().get() as string)
      : "",
    schema: db.pragma("user_version", { simple: true }) as number,
    needsKey: ["endpoint_secret", ...listSecretTables(), "guest"].some((table) =>
      hasRows(db, table),
    ),
  }));

export const readBusinesses = (path: string): { id: string; slug: string }[] =>
  withReadOnlyDatabase(
    path,
    (db) => db.prepare("SELECT id, slug FROM business").all() as { id: string; slug: string }[],
  );

/**
 * Returns a number that rises with every event and every change of a catalog. Unlike a time, it
 * tells which of two backups of a server is newer even if the clock was set back.
 */
export const readProgress = (path: string): number =>
  withReadOnlyDatabase(path, (db) => {
    const progress = db.prepare(`
      SELECT total(progress) FROM (
        SELECT max(catalog_version + last_sequence) AS progress FROM (
          SELECT id, catalog_version, last_sequence FROM business UNION ALL
          SELECT id, catalog_version, last_sequence FROM removed_business)
        GROUP BY id)`);
    return progress.pluck().get() as number;
  });

/** Returns whether a restore of the file could bring back an erased guest. */
export const hasGuestData = (path: string): boolean =>
  withReadOnlyDatabase(
    path,
    (db) =>
      hasRows(db, "guest") ||
      ["booking", "reservation", "ticket_order"].some((table) =>
        hasRows(db, table, "customer_ref IS NOT NULL"),
      ),
  );

const hasRows = (db: Db, table: string, condition = "TRUE"): boolean =>
  hasTable(db, table) &&
  db.prepare(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`).get() !== undefined;

/** Returns the encrypted secrets of endpoints and of features. An old version lacks some tables. */
export const readSecrets = (path: string): SealedRow[] =>
  withReadOnlyDatabase(path, (db) => [
    ...createEndpointSecretStore(db).list(),
    ...listSecretTables()
      .filter((table) => hasTable(db, table))
      .flatMap((table) => listSecrets(db, table)),
  ]);

/** Returns the encrypted data of the first guests; none from a version without guests. */
export const readGuests = (path: string, limit: number): GuestRow[] =>
  withReadOnlyDatabase(path, (db) =>
    hasTable(db, "guest") ? createGuestStore(db).listAfter("", limit) : [],
  );

/** Returns the number of guests whose encrypted data match; 0 for a version without guests. */
export const countGuestsWhere = (path: string, matches: (row: GuestRow) => boolean): number =>
  withReadOnlyDatabase(path, (db) => {
    if (!hasTable(db, "guest")) return 0;
    let count = 0;
    for (const row of createGuestStore(db).iterateAll()) if (matches(row)) count += 1;
    return count;
  });

/** Returns whether a table exists: a backup of an older version lacks some. */
const hasTable = (db: Db, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !==
  undefined;

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

export function unreadableError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_NOTADB")
    return new AppError("invalid_input", `Invalid database ${path}: expected a SQLite file.`);
  if (error.code.startsWith("SQLITE_CORRUPT")) return damagedBackupError(path, error.message);
  // SQLite creates files in the folder even to read a database in WAL mode.
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
