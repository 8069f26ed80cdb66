import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { type Db, isSqliteError } from "./db.ts";
import { migrate, type Migration, type Safeguard } from "./migrate.ts";
import { createWriteLock, isBusy } from "./write-lock.ts";

export type Connection = {
  db: Db;
  /**
   * Runs `work` in one IMMEDIATE transaction. A deferred transaction that reads and then writes
   * fails immediately if another connection has written in between.
   */
  tx: <T>(work: () => T) => T;
  /** Rises with every commit that changes the file, by this connection or any other. */
  revision: () => number;
  /**
   * Starts a dry run: transactions run in full and see each other's writes, but nothing is saved.
   * It ends when the returned function is called or the connection is closed. The file stays
   * readable for others; from the first transaction on, they cannot write.
   */
  startDryRun: () => () => void;
  isDryRun: () => boolean;
  migration: Migration | null;
  close: () => void;
};

const FULL = 2;
// Before 3.51.3 a WAL reset under load could corrupt the file.
const MINIMUM_SQLITE = [3, 51, 3];

/**
 * Opens the database, creates or migrates it, and makes sure that commits survive a power cut.
 * @param busyTimeoutMs how long a write waits for another writer before SQLITE_BUSY
 * @param safeguard protects existing data during a migration; null for a copy
 * @param monotonic milliseconds that never jump; without it, a loop of writes takes no breaks
 * @throws AppError state_refuses for a file that is newer, damaged or not a database, or that
 *   cannot be migrated now
 */
export function openDatabase(
  path: string,
  busyTimeoutMs: number,
  safeguard: Safeguard | null,
  monotonic: () => number = () => 0,
): Connection {
  const { db, migration } = openAndMigrate(path, busyTimeoutMs, safeguard);
  const dataVersion = db.prepare("PRAGMA data_version").pluck();
  // data_version does not change for a connection's own commits.
  let seenVersion = dataVersion.get();
  let othersCommits = 0;
  let ownCommits = 0;
  const writeLock = createWriteLock(db, busyTimeoutMs, monotonic);
  // In a transaction, better-sqlite3 makes it a savepoint.
  const runInSavepoint = db.transaction((work: () => unknown) => work());
  const commit = db.prepare("COMMIT");
  const totalChanges = db.prepare("SELECT total_changes()").pluck();
  let isDryRun = false;

  function runInTransaction<T>(work: () => T): T {
    writeLock.begin();
    try {
      const changes = totalChanges.get();
      const result = work();
      commit.run();
      if (totalChanges.get() !== changes) ownCommits += 1;
      return result;
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
        // A transaction that fails undoes its own writes and keeps those before it.
        return runInSavepoint(work) as T;
      }
      return db.inTransaction ? work() : runInTransaction(work);
    },
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
    isDryRun: () => isDryRun,
    migration,
    close: () => db.close(),
  };
}

function openAndMigrate(path: string, busyTimeoutMs: number, safeguard: Safeguard | null) {
  let db: Db | undefined;
  try {
    safeguard?.assertNoDataLoss();
    db = new Database(path, { timeout: busyTimeoutMs });
    prepareConnection(db);
    return { db, migration: migrate(db, path, safeguard) };
  } catch (error) {
    db?.close();
    throw openError(error, path);
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
  // better-sqlite3 switches to NORMAL when WAL is on; a power cut then loses acknowledged rows.
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
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

function openError(error: unknown, path: string): unknown {
  const code = isSqliteError(error) ? error.code : "";
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return new AppError(
      "state_refuses",
      `${path} is damaged or is not a database: restore a backup.`,
      { fix: "deskbell backup list" },
    );
  if (
    code.startsWith("SQLITE_CANTOPEN") ||
    code.startsWith("SQLITE_READONLY") ||
    code === "SQLITE_PERM"
  )
    return new AppError("not_permitted", `${path} cannot be opened for writing.`, {
      fix: existsSync(path)
        ? "check the file's owner and mode"
        : "check that its folder exists and is writable",
    });
  if (isStorageFull(error))
    return new AppError("storage_full", `The disk that holds ${path} is full.`, {
      fix: "free some space",
    });
  if (code.startsWith("SQLITE_IOERR"))
    return new AppError("state_refuses", `The disk that holds ${path} failed (${code}).`, {
      fix: "check the system log for disk errors, and restore a backup on a working disk",
    });
  return error;
}

// SHMSIZE: on a completely full disk, SQLite cannot create the WAL index and fails to open.
const FULL_CODES = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

export const isStorageFull = (error: unknown): boolean =>
  isSqliteError(error) && FULL_CODES.includes(error.code);

/** `isDaemonRunning` holds the lock briefly; a daemon that starts meanwhile waits this long. */
const PROBE_MS = 100;

export function isDaemonRunning(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  const db = new Database(`${path}.lock`, { readonly: true, timeout: 0 });
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Makes this process the only daemon of the file: it holds an exclusive transaction on a second
 * SQLite file, which the kernel releases when the process ends, even after kill -9.
 * @throws AppError state_refuses if another daemon holds the lock
 */
export function acquireDaemonLock(path: string): { release: () => void } {
  const db = new Database(`${path}.lock`, { timeout: PROBE_MS });
  try {
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new AppError("state_refuses", `Another deskbell daemon is running on ${path}.`, {
      fix: "stop that one first, or give this one its own --data-dir",
    });
  }
  return { release: () => db.close() };
}
