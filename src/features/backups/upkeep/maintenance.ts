import { existsSync } from "node:fs";
import { readDataKeys } from "../tag.ts";
import { keyFingerprintOf, readMasterKeys } from "../../../platform/secret-box.ts";
import { isRegularBackup } from "../store/files.ts";
import { rewriteOldSpace } from "../../../app/guests/erased-bytes.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { isFormerLast, readBackupTag } from "../authenticity.ts";
import { copyBackup, findUncopiedBackup } from "../copies/copies.ts";
import { checkBackupDir } from "../copies/backup-dir.ts";
import { drillBackup, isDrillDue, removeAbandonedDrills } from "./drill.ts";
import { readBackupState } from "../state.ts";
import { backUpNightly, findNewestBackup, latestPlausibleTime, listBackups } from "../backups.ts";
import { deleteBackupsOfMoved } from "./backups-of-moved.ts";
import { deleteReplacedData } from "../restore/replaced-data.ts";
import { isScrubDue, isScrubUnfinished, scrub } from "./scrub.ts";

export type MaintenanceOptions = {
  /** Whether the run begins with a backup. */
  backUp: boolean;
  signal?: AbortSignal | undefined;
  /**
   * The function is called when all data are copied. The rest of the run is not urgent, so the
   * caller can lower the priority.
   */
  onCopied?: (() => void) | undefined;
};

/**
 * Nightly backups are at most 25 hours apart (if clocks are set back in between), so a longer gap
 * means that one was missed.
 */
const MISSED_NIGHT_MS = 26 * 3_600_000;

/**
 * Returns whether `--backup-every` is set and this time has passed since a backup was last made or
 * failed.
 */
export function isBackupDue(rt: Runtime): boolean {
  const { everyMs } = rt.config.backups;
  return everyMs !== null && rt.now() - lastTryAt(rt) >= everyMs;
}

/**
 * Returns whether the last nightly backup was missed, for example by a machine that is off at
 * night.
 */
export function isNightMissed(rt: Runtime): boolean {
  if (rt.config.backups.everyMs !== null) return false;
  const lastAt = lastTryAt(rt);
  // If there was no backup yet, the first one was due in the night after the oldest data were
  // stored.
  const since = lastAt === -Infinity ? rt.store.history.getOldestAt() : lastAt;
  return since !== null && rt.now() - since >= MISSED_NIGHT_MS;
}

/**
 * Returns when a backup was last made or failed; -Infinity if never. Times of a clock that was
 * ahead are ignored.
 */
function lastTryAt(rt: Runtime): number {
  const { config } = rt;
  const madeAt = listBackups(config).map(({ createdAt }) => createdAt);
  const failedAt = readBackupState(config, "failure")?.at ?? -Infinity;
  const latest = latestPlausibleTime(rt);
  return Math.max(-Infinity, ...[...madeAt, failedAt].filter((at) => at <= latest));
}

/** Returns whether there is work other than a backup. */
export const isMaintenanceDue = (rt: Runtime): boolean =>
  findUncopiedBackup(rt) !== undefined || isScrubUnfinished(rt);

/**
 * Returns whether the newest backup should be replaced. A restore would refuse it if version 0.2 or
 * another key made it. A restore would also need a key that a standby may not have if the data were
 * encrypted before a rotation.
 */
export function isNewestOutdated(rt: Runtime): boolean {
  const { config } = rt;
  const newest = findNewestBackup(rt, isRegularBackup);
  // If there is no master key, a new backup of encrypted data would have no tag either.
  if (newest === undefined || !existsSync(config.masterKeyPath)) return false;
  try {
    if (readBackupTag(config, newest.path).kind !== "authentic") return true;
    const current = readMasterKeys(config.masterKeyPath).map(keyFingerprintOf);
    return readDataKeys(newest.path)?.some((name) => !current.includes(name)) === true;
  } catch {
    // A restore cannot read the backup either.
    return true;
  }
}

/** Returns whether the newest backup was made for a handover that did not take place. */
export function isNewestOfHandover(rt: Runtime): boolean {
  const newest = findNewestBackup(rt, isRegularBackup);
  return newest !== undefined && isFormerLast(rt.config, newest.path);
}

/** Makes, copies and checks backups. Failures are logged and recorded, and not thrown. */
export async function runMaintenance(
  rt: Runtime,
  { backUp, signal, onCopied = () => {} }: MaintenanceOptions,
): Promise<void> {
  if (backUp) await backUpNightly(rt, onCopied);
  else onCopied();
  if (backUp) deleteReplacedData(rt);
  if (backUp) removeAbandonedDrills(rt);
  if (backUp && !signal?.aborted) rewriteOldSpace(rt);
  const uncopied = findUncopiedBackup(rt);
  // `copyBackup` checks --backup-dir itself, so a separate check is needed only if there is nothing
  // to copy.
  if (uncopied === undefined) checkBackupDir(rt);
  else if (!signal?.aborted) await copyBackup(rt, uncopied, { signal });
  if (backUp && !signal?.aborted) await deleteBackupsOfMoved(rt);
  if (backUp && isDrillDue(rt) && !signal?.aborted) await drillNewest(rt);
  if ((backUp && isScrubDue(rt)) || isScrubUnfinished(rt)) await scrub(rt, signal);
}

/**
 * Makes a backup and copies it to --backup-dir. Call it when nothing is written any more, so that a
 * server restored from the copy has every change.
 * @returns whether the backup was copied; if not, the reason is logged
 */
export async function backUpAndCopy(rt: Runtime, signal?: AbortSignal): Promise<boolean> {
  const backup = await backUpNightly(rt);
  if (backup === undefined || signal?.aborted) return false;
  return copyBackup(rt, backup, { signal, isLast: true });
}

async function drillNewest(rt: Runtime): Promise<void> {
  // There is no backup if the first one failed, which was reported.
  if (listBackups(rt.config).length === 0) return;
  const { name, error, businesses, secrets } = await drillBackup(rt);
  if (error === null)
    rt.log("info", "restored a backup as a drill", { backup: name, businesses, secrets });
  else
    rt.log("error", "A backup could not be restored as a drill.", { backup: name, reason: error });
}
