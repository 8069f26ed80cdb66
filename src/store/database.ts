import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { readMigrations } from "../assets.ts";

export type Db = Database.Database;

/** A connection to the file with the two things that writers and caches need of it. */
export type Connection = {
  db: Db;
  /** Runs `work` in one IMMEDIATE transaction: a deferred one that reads and then writes fails at once under two writers. */
  tx: <T>(work: () => T) => T;
  /** Changes whenever anybody commits to the file, this connection included. */
  revision: () => string;
  close: () => void;
};

const FULL = 2;
// Before 3.51.3 a WAL reset under load could corrupt the file.
const MINIMUM_SQLITE = [3, 51, 3];

/**
 * Opens the database, creates or migrates it, and makes sure that a commit survives a power cut.
 * @param busyTimeoutMs how long a write waits for another writer before SQLITE_BUSY
 * @throws AppError state_refuses for a file that is newer, damaged or no database
 */
export function openDatabase(path: string, busyTimeoutMs: number): Connection {
  let db: Db;
  try {
    db = new Database(path, { timeout: busyTimeoutMs });
    prepareConnection(db);
    migrate(db, path);
  } catch (error) {
    throw explainOpenFailure(error, path);
  }
  // data_version does not move for a connection's own commits.
  let ownCommits = 0;
  const dataVersion = db.prepare("PRAGMA data_version").pluck();
  const runner = db.transaction((work: () => unknown) => work());
  return {
    db,
    tx: <T>(work: () => T): T => {
      if (db.inTransaction) return work();
      const result = runner.immediate(work) as T;
      ownCommits += 1;
      return result;
    },
    revision: () => `${dataVersion.get() as number}.${ownCommits}`,
    close: () => db.close(),
  };
}

function prepareConnection(db: Db): void {
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (!isAtLeast(version.split(".").map(Number), MINIMUM_SQLITE))
    throw new AppError("state_refuses", `SQLite ${version} can corrupt a file in WAL mode; 3.51.3 or newer is needed.`);
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

function migrate(db: Db, path: string): void {
  const migrations = readMigrations();
  const userVersion = () => db.pragma("user_version", { simple: true }) as number;
  if (userVersion() > migrations.length) {
    throw new AppError(
      "state_refuses",
      `${path} was written by a newer deskbell (schema ${userVersion()}, this one knows ${migrations.length}).`,
      { fix: "start the newer deskbell, or restore a backup made by this version" },
    );
  }
  for (let number = userVersion() + 1; number <= migrations.length; number++) {
    db.transaction(() => {
      // Another process may have migrated while this one waited for the lock.
      if (userVersion() >= number) return;
      db.exec(migrations[number - 1] ?? "");
      db.pragma(`user_version = ${number}`);
    }).immediate();
  }
}

function explainOpenFailure(error: unknown, path: string): unknown {
  const code = error instanceof Database.SqliteError ? error.code : "";
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return new AppError("state_refuses", `${path} is damaged or is not a database.`, { fix: "restore a backup" });
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM")
    return new AppError("not_permitted", `${path} cannot be opened for writing.`, {
      fix: existsSync(path) ? "check the file's owner and mode" : "check that its folder exists and can be written",
    });
  if (code === "SQLITE_FULL") return new AppError("storage_full", `The disk that holds ${path} is full.`);
  return error;
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && (error.code === "SQLITE_BUSY" || error.code.startsWith("SQLITE_BUSY_"));

export const isStorageFull = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code === "SQLITE_FULL";

/**
 * Makes this process the one daemon of the file: an exclusive transaction on a second SQLite file, which the kernel drops
 * with the process, also at kill -9.
 * @throws AppError state_refuses when another daemon holds it
 */
export function acquireDaemonLock(path: string): { release: () => void } {
  const db = new Database(`${path}.lock`, { timeout: 0 });
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
