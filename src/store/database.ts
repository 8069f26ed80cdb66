import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { migrate, type Migration, type Safeguard } from "./migrate.ts";
import { isSqliteError } from "./sqlite-error.ts";

export type Db = Database.Database;

/** A connection to the file with the two things that writers and caches need of it. */
export type Connection = {
  db: Db;
  /** Runs `work` in one IMMEDIATE transaction: a deferred one that reads and then writes fails at once under two writers. */
  tx: <T>(work: () => T) => T;
  /** Changes whenever anybody commits to the file, this connection included. */
  revision: () => string;
  /** The two that make up `revision`: it moves when another connection commits, and by one for each transaction of this one. */
  othersRevision: () => number;
  ownCommits: () => number;
  /** What opening it did to an older file; null: nothing. */
  migration: Migration | null;
  /** From here on nothing is kept: all is part of one transaction that never commits, and the file stays free for others to read. */
  rehearse: () => void;
  close: () => void;
};

const FULL = 2;
// Before 3.51.3 a WAL reset under load could corrupt the file.
const MINIMUM_SQLITE = [3, 51, 3];

/**
 * Opens the database, creates or migrates it, and makes sure that a commit survives a power cut.
 * @param busyTimeoutMs how long a write waits for another writer before SQLITE_BUSY
 * @param safeguard for the data of an older file; null for a copy of one
 * @throws AppError state_refuses for a file that is newer, damaged or no database, or that cannot be migrated now
 */
export function openDatabase(
  path: string,
  busyTimeoutMs: number,
  safeguard: Safeguard | null,
): Connection {
  const { db, migration } = openAndMigrate(path, busyTimeoutMs, safeguard);
  // data_version does not move for a connection's own commits.
  let ownCommits = 0;
  const dataVersion = db.prepare("PRAGMA data_version").pluck();
  const runner = db.transaction((work: () => unknown) => work());
  let isRehearsal = false;
  return {
    db,
    tx: <T>(work: () => T): T => {
      // One that fails in a rehearsal takes back its own part, as it would by itself.
      if (db.inTransaction) return isRehearsal ? (runner(work) as T) : work();
      const result = runner.immediate(work) as T;
      ownCommits += 1;
      return result;
    },
    revision: () => `${dataVersion.get() as number}.${ownCommits}`,
    othersRevision: () => dataVersion.get() as number,
    ownCommits: () => ownCommits,
    migration,
    rehearse: () => {
      isRehearsal = true;
      db.exec("BEGIN");
    },
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
    throw explainOpenFailure(error, path);
  }
}

function prepareConnection(db: Db): void {
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (!isAtLeast(version.split(".").map(Number), MINIMUM_SQLITE))
    throw new AppError(
      "state_refuses",
      `SQLite ${version} can corrupt a file in WAL mode; 3.51.3 or newer is needed.`,
    );
  db.pragma("journal_mode = WAL");
  // better-sqlite3 drops to NORMAL by itself once WAL is on, and then a power cut loses acknowledged rows.
  db.pragma("synchronous = FULL");
  db.pragma("foreign_keys = ON");
  if (db.pragma("synchronous", { simple: true }) !== FULL)
    throw new AppError(
      "state_refuses",
      "SQLite refused synchronous=FULL: a power cut could lose acknowledged changes.",
    );
}

const isAtLeast = (version: number[], minimum: number[]): boolean => {
  const differing = minimum.findIndex((part, i) => version[i] !== part);
  return differing === -1 || (version[differing] ?? 0) > (minimum[differing] ?? 0);
};

function explainOpenFailure(error: unknown, path: string): unknown {
  const code = isSqliteError(error) ? error.code : "";
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return new AppError(
      "state_refuses",
      `${path} is damaged or is not a database: restore a backup.`,
      {
        fix: "deskbell backup list",
      },
    );
  if (
    code.startsWith("SQLITE_CANTOPEN") ||
    code.startsWith("SQLITE_READONLY") ||
    code === "SQLITE_PERM"
  )
    return new AppError("not_permitted", `${path} cannot be opened for writing.`, {
      fix: existsSync(path)
        ? "check the file's owner and mode"
        : "check that its folder exists and can be written",
    });
  if (isStorageFull(error))
    return new AppError("storage_full", `The disk that holds ${path} is full.`, {
      fix: "free some space",
    });
  if (code.startsWith("SQLITE_IOERR"))
    return new AppError("state_refuses", `The disk that holds ${path} failed (${code}).`, {
      fix: "look at the system's log for the disk's errors, and restore a backup on a sound one",
    });
  return error;
}

export const isBusy = (error: unknown): boolean =>
  isSqliteError(error) && (error.code === "SQLITE_BUSY" || error.code.startsWith("SQLITE_BUSY_"));

// SHMSIZE: on a disk without a byte left even opening fails, for want of the WAL's index.
const FULL_CODES = ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

export const isStorageFull = (error: unknown): boolean =>
  isSqliteError(error) && FULL_CODES.includes(error.code);

/** Whoever asks whether a daemon runs holds the lock for a moment; a daemon that starts meanwhile waits it out. */
const LOOK_MS = 100;

/** Whether a daemon runs on the file now. */
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
 * Makes this process the one daemon of the file: an exclusive transaction on a second SQLite file, which the kernel drops
 * with the process, also at kill -9.
 * @throws AppError state_refuses when another daemon holds it
 */
export function acquireDaemonLock(path: string): { release: () => void } {
  const db = new Database(`${path}.lock`, { timeout: LOOK_MS });
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
