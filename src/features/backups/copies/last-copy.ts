import { readBackupState } from "../state.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { makeLastCopyInThread } from "../upkeep/maintenance-work.ts";
import { shellQuote } from "../../../domain/text.ts";

/**
 * The last copy has the time that remains of TimeoutStopSec (90 s) after requests and deliveries
 * have ended.
 */
const LAST_COPY_MS = 55_000;

/**
 * Copies the database to --backup-dir when the daemon stops: a second server that is restored from
 * this copy has every acknowledged change.
 * @returns whether the copy was made; a failure is logged
 */
export async function makeLastCopy({ config, log }: Runtime, dir: string): Promise<boolean> {
  const newest = readBackupState(config, "copy");
  const lastCopyAt = newest && new Date(newest.createdAt).toISOString();
  log("info", "making the last copy", { dir, lastCopyAt });
  if (await makeLastCopyInThread(config, AbortSignal.timeout(LAST_COPY_MS))) return true;
  log(
    "error",
    "The last copy was not made: the changes since lastCopyAt are only on this machine.",
    {
      lastCopyAt,
      data: config.databasePath,
      fix: `start the daemon again, which makes a copy when it stops: deskbell serve --backup-dir ${shellQuote(dir)}`,
    },
  );
  return false;
}
