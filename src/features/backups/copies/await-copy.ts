import { setTimeout as delay } from "node:timers/promises";
import { readBackupTime } from "../store/files.ts";
import { isDaemonRunning } from "../../../store/database/database.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { copyBackup, hasCopyPlace } from "./copies.ts";
import { readBackupState } from "../state.ts";
import { type Backup, latestBackupTime } from "../backups.ts";

const POLL_MS = 100;

/** The reason why the backup was not copied; null if it was, or if there is no other place. */
export type CopyResult = { isCopied: boolean; reason: string | null };

/** Returns whether a new backup is copied, by the daemon or else by this process. */
export const isCopyDue = (rt: Runtime): boolean =>
  isDaemonRunning(rt.config.databasePath)
    ? rt.store.daemon.find()?.copiesBackups === true
    : hasCopyPlace(rt.config);

/**
 * Waits until the daemon has copied a backup, which it begins within a second. If no daemon runs,
 * this process copies it. Call it if `isCopyDue`.
 */
export async function awaitCopy(rt: Runtime, backup: Backup): Promise<CopyResult> {
  const { config } = rt;
  if (!isDaemonRunning(config.databasePath)) await copyBackup(rt, backup);
  // The daemon copies the newest backup only, so a newer copy is enough. A copy that was made while
  // the clock was ahead counts as older.
  const isThisOrNewer = (createdAt = -Infinity): boolean =>
    createdAt >= backup.createdAt && createdAt <= Math.max(latestBackupTime(rt), backup.createdAt);
  for (;;) {
    // The daemon may copy the backup and stop during this check, so the results are read
    // afterwards.
    const isRunning = isDaemonRunning(config.databasePath);
    if (isThisOrNewer(readBackupState(config, "copy")?.createdAt))
      return { isCopied: true, reason: null };
    const failure = readBackupState(config, "copy-failure");
    if (isThisOrNewer(readBackupTime(failure?.name ?? "")))
      return { isCopied: false, reason: failure?.reason ?? null };
    if (!isRunning) return { isCopied: false, reason: "the daemon has stopped meanwhile" };
    await delay(POLL_MS);
  }
}
