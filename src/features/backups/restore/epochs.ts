import { readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../config.ts";
import { createDurably, replaceDurably, syncFolder } from "../../../platform/durable-file.ts";
import { errorInWords, AppError } from "../../../domain/errors.ts";
import { isoSeconds, shellQuote } from "../../../domain/text.ts";
import { readOwnEpoch } from "../own-epoch.ts";

// Each takeover creates a file `epoch-N` in the folder of the copies, with a higher N than any
// before, and stores N in the data folder of the server that has taken over. A server with a lower
// epoch was replaced. Epochs prevent mistakes; they cannot stop a server that already runs, or that
// does not see the folder.
// Until the data of the new server are in place, the file says that the takeover has only begun,
// and neither server can start.

const NAME = /^epoch-(\d{1,9})$/;
const nameOf = (epoch: number): string => `epoch-${epoch}`;
const BEGUN = "takeover begun";

/**
 * Returns whether a value can be an epoch: a whole number after which the next takeover still gets
 * a valid file name.
 */
export const isEpoch = (value: unknown): value is number =>
  Number.isSafeInteger(value) && NAME.test(nameOf(Number(value) + 1));

/**
 * Returns the number of the last takeover with a copy in the folder; 0 if there was none. A server
 * that has used another folder before can have a higher epoch.
 * @throws AppError state_refuses if the folder cannot be read
 */
export const readNewestEpoch = (dir: string): number =>
  Math.max(
    0,
    ...readBackupDir(dir, (path) => readdirSync(path)).map((name) =>
      Number(NAME.exec(name)?.[1] ?? 0),
    ),
  );

/**
 * Reads the --backup-dir, or a file in it.
 * @throws AppError state_refuses if it cannot be read, for example because a network disk fails
 */
export function readBackupDir<Result>(path: string, read: (path: string) => Result): Result {
  try {
    return read(path);
  } catch (error) {
    throw new AppError("state_refuses", `Cannot read ${path}: ${errorInWords(error)}.`, {
      fix: "check its disk, owner and mode: without it, nobody knows whether another server has taken over",
    });
  }
}

/**
 * @param dir the folder of the copies
 * @throws AppError state_refuses if another server has taken over with a copy in the folder, or a
 *   takeover has begun
 */
export function assertNotTakenOver(config: Config, dir: string): void {
  const newest = readNewestEpoch(dir);
  const own = readOwnEpoch(config);
  // A folder has a lower epoch than this server, or none, if the server used another folder before.
  // No other server has then taken over with a copy in this folder.
  if (newest < own || newest === 0) return;
  const marker = join(dir, nameOf(newest));
  const state = readBackupDir(marker, (path) => readFileSync(path, "utf8").trim());
  const hasBegun = state.startsWith(BEGUN);
  if (newest > own)
    throw hasBegun ? unfinishedError(dir, state, marker) : takenOverError(dir, state, marker);
  // A takeover that was killed after its data were in place is complete.
  if (hasBegun) endTakeover(dir, newest);
}

const takenOverError = (dir: string, state: string, marker: string): AppError =>
  new AppError(
    "state_refuses",
    `Another server has taken over (${state}; ${marker}): if both run, each takes bookings that the other does not know.`,
    {
      fix: `to return to this server, run deskbell handover on the other one, then deskbell restore --latest ${shellQuote(dir)}; if that is impossible, switch the other one off and add --fenced; if no other one has run since, rm ${shellQuote(marker)}`,
    },
  );

const unfinishedError = (dir: string, state: string, marker: string): AppError =>
  new AppError(
    "state_refuses",
    `A takeover was interrupted before its end (${state}; ${marker}): until it has ended, no server starts with this folder.`,
    {
      fix: `to finish it, run on the machine that takes over: deskbell restore --latest ${shellQuote(dir)} --fenced; to keep the server before it instead, rm ${shellQuote(marker)} and start that one`,
    },
  );

/**
 * Creates the file of a takeover that has begun.
 * @returns whether it was created; false if the file exists
 */
export function createMarker(
  { dataDir }: Config,
  dir: string,
  epoch: number,
  now: number,
): boolean {
  const text = `${BEGUN} at ${isoSeconds(now)} by ${dataDir} on ${hostname()}\n`;
  try {
    createDurably(join(dir, nameOf(epoch)), text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

export function deleteMarker(dir: string, epoch: number): void {
  rmSync(join(dir, nameOf(epoch)));
  syncFolder(dir);
}

/**
 * Records that the data of the new server, and the epoch next to them, are in place.
 * @throws AppError state_refuses if the folder cannot be written to
 */
export function endTakeover(dir: string, epoch: number): void {
  const path = join(dir, nameOf(epoch));
  try {
    replaceDurably(path, readFileSync(path, "utf8").replace(BEGUN, "taken over"));
  } catch (error) {
    throw new AppError("state_refuses", `Cannot write ${path}: ${errorInWords(error)}.`, {
      fix: `check its disk, owner and mode; then deskbell serve --backup-dir ${shellQuote(dir)} completes the takeover`,
    });
  }
}
