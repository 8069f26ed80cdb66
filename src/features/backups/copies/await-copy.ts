import { setTimeout as delay } from "node:timers/promises";
import { readBackupTime } from "../store/files.ts";
import { isDaemonRunning } from "../../../store/database/database.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { copyBackup, hasCopyPlace } from "./copies.ts";
import { readBackupState } from "../state.ts";
import { type Backup, latestPlausibleTime } from "../backups.ts";

const POLL_MS = 100;

/**
 * `reason` says why the backup was not copied, and is null if the backup was copied. `isPartial`
 * tells that one of two places has the backup.
 */
export type CopyResult = { isCopied: boolean; reason: string | null; isPartial?: boolean };

/** Returns whether a new backup must be copied: by the daemon if it runs, or by this process. */
export const isCopyDue = (rt: Runtime): boolean =>
  isDaemonRunning(rt.config.databasePath)
    ? rt.store.daemon.find()?.copiesBackups === true
    : hasCopyPlace(rt.config);

/**
 * Waits until the daemon, which looks for new backups each second, has copied a backup. If no
 * daemon runs, this process copies it. Call this function only if `isCopyDue`.
 */
export async function awaitCopy(rt: Runtime, backup: Backup): Promise<CopyResult> {
  const { config } = rt;
  if (!isDaemonRunning(config.databasePath)) await copyBackup(rt, backup);
  // The daemon copies the newest backup only, so a newer copy is enough. A copy that was made while
  // the clock was ahead counts as older.
  const isThisOrNewer = (createdAt = -Infinity): boolean =>
    createdAt >= backup.createdAt &&
    createdAt <= Math.max(latestPlausibleTime(rt), backup.createdAt);
  for (;;) {
    // The daemon may copy the backup and stop while `isDaemonRunning` runs, so the results are read
    // after it.
    const isRunning = isDaemonRunning(config.databasePath);
    if (isThisOrNewer(readBackupState(config, "copy")?.createdAt))
      return { isCopied: true, reason: null };
    const failure = readBackupState(config, "copy-failure");
    if (isThisOrNewer(readBackupTime(failure?.name ?? "")))
      return {
        isCopied: false,
        reason: failure?.reason ?? null,
        ...(failure?.isPartial === true && { isPartial: true }),
      };
    if (!isRunning) return { isCopied: false, reason: "the daemon has stopped meanwhile" };
    await delay(POLL_MS);
  }
}
