import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { errorInWords } from "../../domain/error-words.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { readOwnEpoch } from "../../store/own-epoch.ts";
import { isoSeconds } from "./health-conditions.ts";

// Each takeover creates the next file `epoch-N` in the folder of the copies, and stores N in the
// data folder of the server that has taken over. A server with a lower epoch was replaced. This
// prevents mistakes; it cannot stop a server that already runs, or that does not see the folder.

const NAME = /^epoch-(\d{1,9})$/;
const nameOf = (epoch: number): string => `epoch-${epoch}`;

/** Returns 0 if no server has taken over. @throws AppError state_refuses */
export const readNewestEpoch = (dir: string): number =>
  Math.max(
    0,
    ...readBackupDir(dir, (path) => readdirSync(path)).map((name) =>
      Number(NAME.exec(name)?.[1] ?? 0),
    ),
  );

/**
 * Reads the --backup-dir, or a file in it.
 * @throws AppError state_refuses, also if a network disk fails
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
 * @param dir of the copies
 * @throws AppError state_refuses if another server has taken over with one of them
 */
export function assertNotTakenOver(config: Config, dir: string): void {
  const newest = readNewestEpoch(dir);
  if (newest <= readOwnEpoch(config)) return;
  const marker = join(dir, nameOf(newest));
  const takenOver = readBackupDir(marker, (path) => readFileSync(path, "utf8").trim());
  throw new AppError(
    "state_refuses",
    `Another server has taken over (${takenOver}; ${marker}): if both run, each takes bookings that the other does not know.`,
    {
      fix: `to take over again, stop that server, then run deskbell restore --latest ${shellQuote(dir)} --fenced; if no server has run since, rm ${shellQuote(marker)}`,
    },
  );
}

/**
 * Records a takeover in the folder of the copies and returns its epoch: a server with a lower one
 * can no longer start.
 * @throws AppError state_refuses if another server creates it at the same time
 */
export function claimEpoch(dir: string, now: number): number {
  const epoch = readNewestEpoch(dir) + 1;
  try {
    writeFileSync(join(dir, nameOf(epoch)), `taken over at ${isoSeconds(now)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    return epoch;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new AppError("state_refuses", "Another server takes over at the same time.", {
      fix: "decide which one should run, and start only that one",
    });
  }
}
