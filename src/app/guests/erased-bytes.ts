import { errorInWords } from "../../domain/errors.ts";
import { byteSize } from "../../domain/text.ts";
import { isDaemonRunning } from "../../store/database/database.ts";
import { isSqliteError } from "../../store/database/db.ts";
import { RESERVE_BYTES } from "../disk-space.ts";
import type { Runtime } from "../runtime.ts";

// Bytes of erased guests can outlive their rows in two places: the write-ahead log, until it is
// emptied, and the free space of a file of version 0.2, until the file is rewritten once.

/**
 * Maximum size of a file that is rewritten by day while a daemon runs. Rewriting a larger file
 * would make requests to the daemon wait for more than a second.
 */
const MAX_BYTES_BY_DAY = 100_000_000;
/** Local hours in which a file of any size is rewritten. */
const NIGHT = { from: 3, until: 5 };

/** `inLog`: in the write-ahead log; `inFreeSpace`: in the free space of a file of version 0.2. */
export type Remains = { inLog: boolean; inFreeSpace: boolean };
export const NO_REMAINS: Remains = { inLog: false, inFreeSpace: false };

/**
 * Removes the bytes of deleted rows from the file of the database and from its write-ahead log.
 * @returns the places in which bytes of erased guests are still stored for now
 */
export function removeErasedBytes(rt: Runtime): Remains {
  if (rt.isDryRun()) return NO_REMAINS;
  const inFreeSpace = !rewriteOldSpace(rt);
  return { inLog: !emptyErasedLog(rt), inFreeSpace };
}

/**
 * Records that the write-ahead log has data of erased guests, so that the daemon empties it if this
 * process cannot. Call it in the transaction of an erasure.
 */
export const markErasedLog = (rt: Runtime): void => rt.store.file.saveLogKeptSince(rt.now());

/**
 * Empties the write-ahead log if guests were erased since it was emptied.
 * @returns false if a program that reads the database prevents it
 */
export function emptyErasedLog(rt: Runtime): boolean {
  const { file } = rt.store;
  const since = file.findLogKeptSince();
  if (since === null) return true;
  if (!file.emptyLog()) return false;
  rt.tx(() => file.forgetLogKeptSince(since));
  return true;
}

/**
 * Rewrites a database file of version 0.2 once. A crash leaves the file as it was, and the next
 * call tries again.
 * @returns false if the free space still has deleted rows, for example because a large file is
 *   rewritten only in the night while a daemon runs
 */
export function rewriteOldSpace(rt: Runtime): boolean {
  const { file } = rt.store;
  if (!file.hasOldSpace()) return true;
  const bytesBefore = file.bytes();
  const isLong = bytesBefore > MAX_BYTES_BY_DAY && isDaemonRunning(rt.config.databasePath);
  if (isLong && !isNight(rt.now())) return false;
  // SQLite writes the new file to the folder of temporary files, and then to the write-ahead log.
  const needed = 2 * bytesBefore + RESERVE_BYTES;
  if (rt.freeBytes() < needed) return refuse(rt, `it needs ${byteSize(needed)} of free space`);
  try {
    file.rewrite();
  } catch (error) {
    if (!isSqliteError(error)) throw error;
    return refuse(rt, errorInWords(error));
  }
  rt.tx(() => file.forgetOldSpace());
  file.emptyLog();
  rt.log("info", "rewrote the database once, so that its free space has no deleted data", {
    bytesBefore,
    bytes: file.bytes(),
  });
  return true;
}

function refuse({ log }: Runtime, reason: string): false {
  log("warn", "The database could not be rewritten: its free space still has deleted data.", {
    reason,
  });
  return false;
}

function isNight(now: number): boolean {
  const hour = new Date(now).getHours();
  return hour >= NIGHT.from && hour < NIGHT.until;
}
