import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { readMigrations } from "../assets.ts";
import { AppError } from "../domain/errors.ts";
import { isBusy, openDatabase } from "./database.ts";
import type { Db } from "./db.ts";
import { damagedError, unreadableError, withReadOnlyDatabase } from "./read-only-database.ts";
import { isSqliteError } from "./sqlite-error.ts";

/** How far a business has come. */
export type BusinessCounters = { id: string; catalogVersion: number; lastSequence: number };

const WAIT_MS = 5000;
const LOGS = ["-wal", "-journal"];
const CORE_TABLES = ["business", "catalog_object", "api_key", "endpoint", "event", "delivery"];

/**
 * Copies a database that others may be writing to into a new file that its owner alone may read, whole in itself.
 * @throws AppError invalid_input for one so damaged that it cannot even be copied
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  closeSync(openSync(to, "wx", 0o600));
  try {
    await copyInOneRead(from, to);
    // One file without a log beside it, which can be moved about.
    leaveLog(to);
  } catch (error) {
    throw unreadableError(error, from);
  }
}

async function copyInOneRead(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true, timeout: WAIT_MS });
  try {
    // Without an open read transaction the copy starts over at each commit of another connection.
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    await source.backup(to);
  } finally {
    source.close();
  }
}

/** Brings the log back into the file and does away with it, which is possible only while nobody else has the file open. */
function leaveLog(path: string): void {
  const db = new Database(path, { timeout: WAIT_MS });
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/**
 * Reads the whole file and looks whether it is a sound database of deskbell's.
 * @returns the number of its schema
 * @throws AppError invalid_input for one that is damaged or foreign, state_refuses for a newer one
 */
export const checkDatabase = (path: string): number =>
  withReadOnlyDatabase(path, (db) => inspect(db, path));

function inspect(db: Db, path: string): number {
  const schema = db.pragma("user_version", { simple: true }) as number;
  const known = readMigrations().length;
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  if (schema === 0 || !CORE_TABLES.every((table) => tables.includes(table)))
    throw new AppError("invalid_input", `${path} is a database, but not one of deskbell's.`);
  if (schema > known)
    throw new AppError(
      "state_refuses",
      `${path} is of a newer deskbell (schema ${schema}, this one knows ${known}).`,
      {
        fix: "use the deskbell that made it, or a newer one",
      },
    );
  const finding = db.pragma("integrity_check(1)", { simple: true }) as string;
  if (finding !== "ok") throw damagedError(path, finding);
  return schema;
}

/** How far each business of a file has come, also those that were removed; of a file that cannot be read, nothing. */
export function readCounters(path: string): BusinessCounters[] {
  try {
    const db = new Database(path, { timeout: WAIT_MS });
    try {
      // The second is not there in the file of an older deskbell.
      const tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE name IN ('business', 'removed_business')")
        .pluck()
        .all() as string[];
      return tables.flatMap((table) =>
        db
          .prepare(
            `SELECT id, catalog_version AS catalogVersion, last_sequence AS lastSequence FROM ${table}`,
          )
          .all(),
      ) as BusinessCounters[];
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && !isBusy(error)) return [];
    throw error;
  }
}

/**
 * Brings a file to this schema, and each business to `by` beyond where it was, there or in `elsewhere`; one that is not there,
 * for when it is made anew.
 */
export function advanceCounters(
  path: string,
  elsewhere: readonly BusinessCounters[],
  by: number,
): void {
  const { db, tx, close } = openDatabase(path, WAIT_MS, null);
  try {
    const raise = db.prepare(`
      UPDATE business SET catalog_version = max(catalog_version, :catalogVersion), last_sequence = max(last_sequence, :lastSequence)
      WHERE id = :id`);
    const remember = db.prepare(`
      INSERT INTO removed_business (id, catalog_version, last_sequence)
      SELECT :id, :catalogVersion, :lastSequence WHERE NOT EXISTS (SELECT 1 FROM business WHERE id = :id)
      ON CONFLICT (id) DO UPDATE SET catalog_version = max(catalog_version, excluded.catalog_version),
        last_sequence = max(last_sequence, excluded.last_sequence)`);
    const jumps = ["business", "removed_business"].map((table) =>
      db.prepare(
        `UPDATE ${table} SET catalog_version = catalog_version + :by, last_sequence = last_sequence + :by`,
      ),
    );
    tx(() => {
      for (const progress of elsewhere) {
        raise.run(progress);
        remember.run(progress);
      }
      for (const jump of jumps) jump.run({ by });
    });
  } finally {
    close();
  }
}

/**
 * Puts a file in the database's place in one step, and keeps the old one as `aside`. Nobody may have either open.
 * @throws AppError busy when somebody has
 */
export function replaceDatabase(path: string, by: string, aside: string): void {
  if (existsSync(path)) {
    foldLog(path);
    linkSync(path, aside);
    // A log that could not be brought back goes with its file, and must not be taken for the new one's.
    for (const log of LOGS) if (existsSync(path + log)) renameSync(path + log, aside + log);
  }
  removeLog(path);
  renameSync(by, path);
  syncFolder(dirname(path));
}

/** A name that was given is there after a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function foldLog(path: string): void {
  try {
    leaveLog(path);
  } catch (error) {
    if (isBusy(error))
      throw new AppError("busy", `Another program has ${path} open.`, {
        fix: "close the live views and let the commands that use it end",
      });
    // Damaged, which may be why it is being replaced.
    if (!isSqliteError(error)) throw error;
  }
}

/** Whatever lies there under such a name SQLite would play into a file that is put beside it. */
function removeLog(path: string): void {
  for (const suffix of [...LOGS, "-shm"]) rmSync(path + suffix, { force: true });
}

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeLog(path);
}
