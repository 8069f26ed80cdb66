import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../domain/errors.ts";
import { type Db, keepPlan } from "./db.ts";
import { findSchemaDamage, migrate, type Migration, type Safeguard } from "./schema.ts";
import { openOnReadOnlyDisk } from "./read-only-database.ts";
import {
  DamagedDatabaseError,
  isOnReadOnlyDisk,
  isSyncFailure,
  storageError,
} from "./storage-error.ts";
import { sleep } from "../../platform/sleep.ts";
import { createWriteLock, isBusy } from "./write-lock.ts";

export type Connection = {
  db: Db;
  /**
   * Runs `work` in one IMMEDIATE transaction. A deferred transaction that reads and then writes
   * fails immediately if another connection has written in between.
   */
  tx: <T>(work: () => T) => T;
  /**
   * Runs `work`, which only reads, on one state of the database. Others can write meanwhile.
   */
  read: <T>(work: () => T) => T;
  /** Rises with every commit that changes the file, by this connection or any other. */
  revision: () => number;
  /**
   * Starts a dry run: transactions run in full and see each other's writes, but nothing is saved.
   * The dry run ends when the returned function is called or the connection is closed. Others can
   * still read the file. From the first transaction on, they cannot write, until `undoDryRun`.
   */
  startDryRun: () => () => void;
  /**
   * Undoes what a dry run has written so far, so that others can write. The dry run goes on: later
   * transactions save nothing either. Does nothing inside a transaction, or without a dry run.
   */
  undoDryRun: () => void;
  isDryRun: () => boolean;
  migration: Migration | null;
  close: () => void;
};

export type ConnectionOptions = {
  /**
   * A clock in milliseconds that never jumps. A connection that has this clock and writes in a
   * loop takes breaks in which others can write; there are no breaks without the clock.
   */
  monotonic?: () => number;
  /**
   * Called when the disk fails to store a change. The process must then end: Linux may report
   * success for data that it has discarded.
   */
  onSyncFailed?: ((error: unknown) => void) | undefined;
};

/** The value with which SQLite reports synchronous=FULL. */
const FULL = 2;
/**
 * The size to which a checkpoint cuts the write-ahead log. It is twice what is written between two
 * checkpoints, so that the log is not cut and extended all the time.
 */
const MAX_LOG_BYTES = 32 * 1024 * 1024;
const OPEN_TIMEOUT_MS = 5000;
const OPEN_RETRY_MS = 10;
// Older versions of SQLite could corrupt the file at a WAL reset under load.
const MINIMUM_SQLITE = [3, 51, 3];

/**
 * Opens the database, creates or migrates it, and makes sure that commits survive a power cut.
 * @param busyTimeoutMs how long a write waits for another writer before SQLITE_BUSY
 * @param safeguard protects existing data during a migration; null for a copy
 * @throws AppError state_refuses for a file of a newer deskbell or one that cannot be migrated now,
 *   and the errors of `storageError`
 */
export function openDatabase(
  path: string,
  busyTimeoutMs: number,
  safeguard: Safeguard | null,
  { monotonic = () => 0, onSyncFailed = () => {} }: ConnectionOptions = {},
): Connection {
  const { db, migration } = openAndMigrate(path, busyTimeoutMs, safeguard);
  wrapPrepare(db, path);
  const dataVersion = db.prepare("PRAGMA data_version").pluck();
  // `data_version` does not change with this connection's own commits, so `ownCommits` counts them.
  let seenVersion = dataVersion.get();
  let othersCommits = 0;
  let ownCommits = 0;
  const writeLock = createWriteLock(db, busyTimeoutMs, monotonic);
  // better-sqlite3 runs a nested transaction as a savepoint, and an outer transaction as deferred.
  const runNestedOrDeferred = db.transaction((work: () => unknown) => work());
  const commit = db.prepare("COMMIT");
  const totalChanges = db.prepare("SELECT total_changes()").pluck();
  let isDryRun = false;
  /** The number of transactions of a dry run that are running, nested in one another. */
  let dryRunDepth = 0;
  let syncFailure: unknown;

  function runInTransaction<T>(work: () => T): T {
    if (syncFailure !== undefined) throw syncFailure;
    writeLock.begin();
    try {
      const changes = totalChanges.get();
      const result = work();
      commit.run();
      if (totalChanges.get() !== changes) ownCommits += 1;
      return result;
    } catch (error) {
      if (isSyncFailure(error)) onSyncFailed((syncFailure = error));
      throw damagedSchemaError(error, db, path) ?? error;
    } finally {
      // After some errors SQLite has already ended the transaction.
      if (db.inTransaction) db.exec("ROLLBACK");
      writeLock.released();
    }
  }

  return {
    db,
    tx: <T>(work: () => T): T => {
      if (isDryRun) {
        if (!db.inTransaction) writeLock.begin();
        dryRunDepth += 1;
        try {
          // A transaction that fails undoes its own writes, and keeps the writes of the
          // transactions before it.
          return runNestedOrDeferred(work) as T;
        } finally {
          dryRunDepth -= 1;
        }
      }
      return db.inTransaction ? work() : runInTransaction(work);
    },
    read: <T>(work: () => T): T => (db.inTransaction ? work() : (runNestedOrDeferred(work) as T)),
    revision: () => {
      const version = dataVersion.get();
      if (version !== seenVersion) othersCommits += 1;
      seenVersion = version;
      return othersCommits + ownCommits;
    },
    startDryRun: () => {
      isDryRun = true;
      return () => {
        isDryRun = false;
        if (db.inTransaction) db.exec("ROLLBACK");
      };
    },
    undoDryRun: () => {
      if (isDryRun && dryRunDepth === 0 && db.inTransaction) db.exec("ROLLBACK");
    },
    isDryRun: () => isDryRun,
    migration,
    close: () => db.close(),
  };
}

function openAndMigrate(path: string, busyTimeoutMs: number, safeguard: Safeguard | null) {
  let db: Db | undefined;
  try {
    safeguard?.assertNoDataLoss();
    db = isOnReadOnlyDisk(path) ? openOnReadOnlyDisk(path) : openWhenFree(path);
    db.pragma(`busy_timeout = ${OPEN_TIMEOUT_MS}`);
    const migration = migrate(db, path, safeguard);
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
    return { db, migration };
  } catch (error) {
    const damage = db && damagedSchemaError(error, db, path);
    db?.close();
    throw damage ?? storageError(error, path) ?? error;
  }
}

/**
 * Makes `db.prepare` keep the plans of statements (`keepPlan`) and report a damaged schema. Such
 * damage first shows when SQLite rejects a statement that is correct.
 */
function wrapPrepare(db: Db, path: string): void {
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    try {
      return prepare(keepPlan(sql));
    } catch (error) {
      throw damagedSchemaError(error, db, path) ?? error;
    }
  }) as Db["prepare"];
}

function damagedSchemaError(error: unknown, db: Db, path: string): AppError | undefined {
  const damage = findSchemaDamage(error, db);
  return damage === undefined ? undefined : new DamagedDatabaseError(path, damage);
}

/**
 * Opens the file. Waits while another process closes the file or recovers it after a crash, because
 * it is then locked for reading, too. SQLite itself does not wait at every step of opening.
 */
function openWhenFree(path: string): Db {
  for (let waitedMs = 0; ; waitedMs += OPEN_RETRY_MS) {
    const db = new Database(path, { timeout: 0 });
    try {
      prepareConnection(db);
      return db;
    } catch (error) {
      db.close();
      if (!isBusy(error) || waitedMs >= OPEN_TIMEOUT_MS) throw error;
      sleep(OPEN_RETRY_MS);
    }
  }
}

function prepareConnection(db: Db): void {
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (!isAtLeast(version.split(".").map(Number), MINIMUM_SQLITE))
    throw new AppError(
      "state_refuses",
      `SQLite ${version} can corrupt a file in WAL mode; 3.51.3 or newer is required.`,
    );
  db.pragma("journal_mode = WAL");
  // better-sqlite3 switches to NORMAL when WAL is on, but with NORMAL a power cut loses
  // acknowledged rows.
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  db.pragma("trusted_schema = OFF");
  // A log that a long read has made larger is cut after the next checkpoint.
  db.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
  // SQLite would otherwise leave the bytes of a row that is erased or moves to another page.
  db.pragma("secure_delete = ON");
  if (db.pragma("synchronous", { simple: true }) !== FULL)
    throw new AppError(
      "state_refuses",
      "SQLite did not accept synchronous=FULL: a power cut could lose acknowledged changes.",
    );
}

const isAtLeast = (version: number[], minimum: number[]): boolean => {
  const differing = minimum.findIndex((part, i) => version[i] !== part);
  return differing === -1 || (version[differing] ?? 0) > (minimum[differing] ?? 0);
};

/** How long an attempt to get the lock waits for a command that holds it in `isDaemonRunning`. */
const DAEMON_LOCK_TIMEOUT_MS = 100;
/** The most attempts while no daemon holds the lock. A slow command may hold it for seconds. */
const MAX_LOCK_ATTEMPTS = 100;

/**
 * Returns whether a daemon holds the lock of `acquireDaemonLock`. While a daemon holds the lock, no
 * other process can read the lock file.
 */
export function isDaemonRunning(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  const db = new Database(`${path}.lock`, { readonly: true, timeout: 0 });
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw storageError(error, `${path}.lock`) ?? error;
  } finally {
    db.close();
  }
}

/**
 * Makes this process the only daemon of the file. The process holds an exclusive transaction on a
 * second SQLite file. The kernel releases the lock when the process ends, even after kill -9.
 * @throws AppError state_refuses if another daemon holds the lock
 */
export function acquireDaemonLock(path: string): { release: () => void } {
  for (let attempt = 1; ; attempt++) {
    const lock = tryDaemonLock(path);
    if (lock) return { release: () => lock.close() };
    // A command that checks for a daemon holds the lock for moments, during which others can read
    // the file. While a daemon holds the lock, nobody else can read the file.
    if (attempt < MAX_LOCK_ATTEMPTS && !isDaemonRunning(path)) continue;
    throw new AppError(
      "state_refuses",
      `Another deskbell daemon or a restore is running on ${path}.`,
      {
        fix: "stop that daemon, or wait until the restore has ended, or give this daemon its own --data-dir",
      },
    );
  }
}

/** Returns a connection that holds the lock; undefined if another connection holds the lock. */
function tryDaemonLock(path: string): Db | undefined {
  let db: Db | undefined;
  try {
    db = new Database(`${path}.lock`, { timeout: DAEMON_LOCK_TIMEOUT_MS });
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (!isBusy(error)) throw storageError(error, `${path}.lock`) ?? error;
    return undefined;
  }
}
