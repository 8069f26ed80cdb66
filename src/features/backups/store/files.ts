import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { countMigrations } from "../../../platform/assets.ts";
import { AppError } from "../../../domain/errors.ts";
import { withPathInErrors, syncFolder } from "../../../platform/durable-file.ts";
import { type AuditRow, createAuditStore } from "../../../store/audit.ts";
import { openDatabase } from "../../../store/database/database.ts";
import { findDamage, findForeignPart } from "../../../store/database/schema.ts";
import { storageError } from "../../../store/database/storage-error.ts";
import { isBusy } from "../../../store/database/write-lock.ts";
import { columns, type Db, isSqliteError } from "../../../store/database/db.ts";
import {
  damagedBackupError,
  unreadableError,
  withReadOnlyDatabase,
} from "../../../store/database/read-only-database.ts";

/** The counters of a business, which must never go back. */
export type BusinessCounters = { id: string; catalogVersion: number; lastSequence: number };

const BUSY_TIMEOUT_MS = 5000;
/** SQLite reads a negative LIMIT as no limit. */
export const NO_LIMIT = -1;
/**
 * The write-ahead log and the rollback journal, which SQLite applies to the database beside them.
 */
const LOG_SUFFIXES = ["-wal", "-journal"];
const CORE_TABLES = ["business", "catalog_object", "api_key", "endpoint", "event", "delivery"];

/** Returns the names of the tables. The file of an older version lacks some tables. */
export const listTables = (db: Db): string[] =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];

/**
 * Copies a database, even while it is being written to, into a new single file with mode 0600.
 * @throws AppError invalid_input if the database is too damaged to be copied
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  closeSync(openSync(to, "wx", 0o600));
  try {
    await copyInOneRead(from, to);
    // The log is merged into the copy, which can then be moved as a single file.
    mergeLog(to);
  } catch (error) {
    throw unreadableError(error, from);
  }
}

/**
 * Copies the committed data, also while a transaction is open. The copy needs a connection of its
 * own, because SQLite cannot copy a database inside of a transaction.
 * @param tag authenticates the copy before it gets its name
 */
export function copyCommitted(path: string, to: string, tag: (draft: string) => void): void {
  const draft = `${to}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  const source = new Database(path, { readonly: true });
  try {
    source.prepare("VACUUM INTO ?").run(draft);
    withPathInErrors(draft, () => fsyncSync(file));
  } finally {
    source.close();
    closeSync(file);
  }
  checkDatabase(draft);
  tag(draft);
  renameSync(draft, to);
  syncFolder(dirname(to));
}

async function copyInOneRead(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // An open read transaction keeps the copy from restarting at every commit of another
    // connection.
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    await source.backup(to);
  } finally {
    source.close();
  }
}

/** Merges the log into the database file. Fails while another connection is open. */
function mergeLog(path: string): void {
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/**
 * Reads the whole file and checks that it is an intact deskbell database.
 * @returns its schema number
 * @throws AppError invalid_input if the file is damaged or not deskbell's, state_refuses if it is
 * newer
 */
export const checkDatabase = (path: string): number =>
  withReadOnlyDatabase(path, (db) => checkOpenDatabase(db, path));

function checkOpenDatabase(db: Db, path: string): number {
  const schema = db.pragma("user_version", { simple: true }) as number;
  const newestSchema = countMigrations();
  const tables = listTables(db);
  if (statSync(path).size === 0)
    throw new AppError("invalid_input", `Invalid database ${path}: the file is empty.`, {
      fix: "choose another backup: deskbell backup list",
    });
  if (schema === 0 || !CORE_TABLES.every((table) => tables.includes(table)))
    throw new AppError(
      "invalid_input",
      `Invalid database ${path}: it was not created by deskbell.`,
    );
  if (schema > newestSchema)
    throw new AppError(
      "state_refuses",
      `${path} was written by a newer deskbell (schema ${schema}; this one supports ${newestSchema}).`,
      { fix: "use the version that wrote it, or a newer one" },
    );
  const damage = findDamage(db);
  if (damage !== undefined) throw damagedBackupError(path, damage);
  return schema;
}

/**
 * Rejects a file with any object that no migration created. Call it before writing to the file: a
 * trigger in a backup would run during the restore.
 * @throws AppError invalid_input
 */
export function assertKnownSchema(path: string): void {
  const foreign = withReadOnlyDatabase(path, findForeignPart);
  if (foreign === undefined) return;
  throw new AppError(
    "invalid_input",
    `${path} is not safe to restore: its ${foreign} was not created by deskbell.`,
    { fix: "choose another backup: deskbell backup list" },
  );
}

/**
 * Returns the counters of all businesses, including deleted ones; none if the file is unreadable.
 */
export const readCounters = (path: string): BusinessCounters[] =>
  readTables(path, ["business", "removed_business"], (db, table) =>
    db.prepare(`SELECT ${columns("id, catalog_version, last_sequence")} FROM ${table}`).all(),
  ) as BusinessCounters[];

/** Returns the ID of the server whose database the file is; undefined if the file is unreadable. */
export const readServerId = (path: string): string | undefined =>
  readTables(path, ["server"], (db) => db.prepare("SELECT id FROM server").pluck().all())[0] as
    | string
    | undefined;

/** Returns the whole audit log; no entries if the file is unreadable. */
export const readAuditLog = (path: string): AuditRow[] =>
  readTables(path, ["audit_entry"], (db) => createAuditStore(db).list({}, NO_LIMIT));

/** The action of an entry whose details name the visits of erased guests. */
const ERASED: string = "guests.erased";

/** Returns the visits of guests whose erasure is in the audit log; none if it is unreadable. */
export const readErasedVisits = (path: string): string[] =>
  readAuditLog(path)
    .filter(({ action }) => action === ERASED)
    .flatMap(({ details }) => (details["visitIds"] ?? []) as string[]);

/**
 * Returns the audit log of a backup without changing the file; no entries if an old version made
 * it.
 */
export const readBackupAuditLog = (path: string): AuditRow[] =>
  withReadOnlyDatabase(path, (db) =>
    listTables(db).includes("audit_entry") ? createAuditStore(db).list({}, NO_LIMIT) : [],
  );

/**
 * Returns rows of the tables that the file has: files of older versions have fewer tables. Returns
 * none if the file is unreadable.
 */
function readTables<Row>(
  path: string,
  names: readonly string[],
  read: (db: Db, table: string) => Row[],
): Row[] {
  try {
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      const tables = listTables(db);
      return names.filter((name) => tables.includes(name)).flatMap((name) => read(db, name));
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && !isBusy(error)) return [];
    throw error;
  }
}

/**
 * Rows of these tables have versions of their own, which partners may have seen after the backup.
 */
const VERSIONED_TABLES = ["endpoint", "booking", "reservation", "ticket_order", "ticket"];

/**
 * Migrates a file, and raises the counters of each business to `increase` above the highest value
 * in the file and in `elsewhere`. Counters of a business that is not in the file are kept, in case
 * the business is created again. The versions of rows in `VERSIONED_TABLES` are raised to at least
 * the catalog version of their business.
 */
export function advanceCounters(
  path: string,
  elsewhere: readonly BusinessCounters[],
  increase: number,
): void {
  const { db, tx, close } = openDatabase(path, BUSY_TIMEOUT_MS, null);
  try {
    const raise = db.prepare(`
      UPDATE business SET catalog_version = max(catalog_version, :catalogVersion), last_sequence = max(last_sequence, :lastSequence)
      WHERE id = :id`);
    const raiseRemoved = db.prepare(`
      INSERT INTO removed_business (id, catalog_version, last_sequence)
      SELECT :id, :catalogVersion, :lastSequence WHERE NOT EXISTS (SELECT 1 FROM business WHERE id = :id)
      ON CONFLICT (id) DO UPDATE SET catalog_version = max(catalog_version, excluded.catalog_version),
        last_sequence = max(last_sequence, excluded.last_sequence)`);
    const increases = ["business", "removed_business"].map((table) =>
      db.prepare(
        `UPDATE ${table} SET catalog_version = catalog_version + :increase, last_sequence = last_sequence + :increase`,
      ),
    );
    const raiseVersions = VERSIONED_TABLES.map((table) =>
      db.prepare(`
        UPDATE ${table} SET version = max(version, catalog_version)
        FROM business WHERE business.id = ${table}.business_id`),
    );
    tx(() => {
      for (const counters of elsewhere) {
        raise.run(counters);
        raiseRemoved.run(counters);
      }
      for (const statement of increases) statement.run({ increase });
      for (const raiseVersion of raiseVersions) raiseVersion.run();
    });
  } finally {
    close();
  }
}

/**
 * Merges the logs of both files, which fails if the disk is full or another program has the database
 * open. `replaceDatabase` does it again, because a program can open the database meanwhile.
 * @throws AppError busy if another program has the database open
 */
export function prepareReplacement(path: string, replacement: string): void {
  completeFile(replacement);
  if (existsSync(path)) mergeLogIfIntact(path);
}

/**
 * Replaces the database atomically with the file `replacement`, and keeps the old one as `copy`.
 * @throws AppError busy if another program has the database open
 */
export function replaceDatabase(path: string, replacement: string, copy: string): void {
  prepareReplacement(path, replacement);
  if (existsSync(path)) {
    linkSync(path, copy);
    // A log that could not be merged belongs to the old file. SQLite would apply it to the new
    // file.
    for (const suffix of LOG_SUFFIXES)
      if (existsSync(path + suffix)) renameSync(path + suffix, copy + suffix);
  }
  removeLog(path);
  renameSync(replacement, path);
  syncFolder(dirname(path));
}

/**
 * Merges what is left in the log of a file into the file. SQLite merges the log when a database is
 * closed, but reports no write that fails then, so the last changes may still be in the log.
 */
function completeFile(path: string): void {
  try {
    mergeLog(path);
  } catch (error) {
    throw storageError(error, path) ?? error;
  }
}

function mergeLogIfIntact(path: string): void {
  try {
    mergeLog(path);
  } catch (error) {
    if (isBusy(error))
      throw new AppError("busy", `Another program has ${path} open.`, {
        fix: "close all live views, wait for running commands to finish, and try again",
      });
    // A damaged file is not an error here, because the damage may be the reason why the file is
    // being replaced.
    if (!isSqliteError(error)) throw error;
  }
}

/** Removes leftover logs, because SQLite would apply them to a new file of the same name. */
function removeLog(path: string): void {
  for (const suffix of [...LOG_SUFFIXES, "-shm"]) rmSync(path + suffix, { force: true });
}

/**
 * Returns the path of the copy that a restore prepares. The copy remains if the restore is killed.
 */
export const restoreDraftPath = (path: string): string => `${path}.restoring`;

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeLog(path);
}

const REGULAR_PREFIX = "deskbell";
const BACKUP_NAME = /^(deskbell|before-schema-\d+)-(\d{8})T(\d{6})Z\.db$/;
const DRAFT_NAME = /^(deskbell|before-schema-\d+)-.*\.draft/;

export const backupName = (madeAt: number): string => `${REGULAR_PREFIX}-${compactTime(madeAt)}.db`;
export const backupNameBefore = (schema: number, madeAt: number): string =>
  `before-schema-${schema}-${compactTime(madeAt)}.db`;

/** Returns when a backup was made (epoch ms), or undefined for another file. */
export function readBackupTime(name: string): number | undefined {
  const [, , date, time] = BACKUP_NAME.exec(name) ?? [];
  if (date === undefined) return undefined;
  return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime("UTC").epochMilliseconds;
}

/**
 * Returns whether a backup is a regular one. The daemon or a command makes such a backup, which is
 * deleted once there are enough newer ones. A backup from before a migration is kept.
 */
export const isRegularBackup = (name: string): boolean => name.startsWith(`${REGULAR_PREFIX}-`);
export const isDraft = (name: string): boolean => DRAFT_NAME.test(name);

/** Returns a time such as `20261120T031700Z`, which is valid in a file name and sorts by time. */
const compactTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
