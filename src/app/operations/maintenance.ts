import type { Runtime } from "../runtime.ts";
import { copyBackup, findUncopiedBackup } from "./backup-copies.ts";
import { drillBackup, isDrillDue } from "./backup-drill.ts";
import { readBackupState } from "./backup-state.ts";
import { backUpNightly, listBackups } from "./backups.ts";
import { isScrubDue, isScrubUnfinished, scrub } from "./scrub.ts";

export type MaintenanceOptions = {
  /** Whether to make a backup first. */
  backUp: boolean;
  signal?: AbortSignal | undefined;
};

/** Whether --backup-every is set and has passed since the last backup, or the last try. */
export function isBackupDue({ config, now }: Runtime): boolean {
  const { everyMs } = config.backups;
  if (everyMs === null) return false;
  const lastAt = listBackups(config)[0]?.createdAt ?? -Infinity;
  const failedAt = readBackupState(config, "failure")?.at ?? -Infinity;
  return now() - Math.max(lastAt, failedAt) >= everyMs;
}

/** Whether there is work other than a backup. */
export const isMaintenanceDue = (rt: Runtime): boolean =>
  findUncopiedBackup(rt) !== undefined || isScrubUnfinished(rt);

/** Makes, copies and checks backups. It logs and records each failure, and throws none. */
export async function runMaintenance(
  rt: Runtime,
  { backUp, signal }: MaintenanceOptions,
): Promise<void> {
  if (backUp) await backUpNightly(rt);
  const uncopied = findUncopiedBackup(rt);
  if (uncopied && !signal?.aborted) await copyBackup(rt, uncopied, { signal });
  if (backUp && isDrillDue(rt) && !signal?.aborted) await drillNewest(rt);
  if ((backUp && isScrubDue(rt)) || isScrubUnfinished(rt)) await scrub(rt, signal);
}

async function drillNewest(rt: Runtime): Promise<void> {
  if (listBackups(rt.config).length === 0) return;
  const { name, error, businesses, secrets } = await drillBackup(rt);
  if (error === null)
    rt.log("info", "restored a backup as a drill", { backup: name, businesses, secrets });
  else
    rt.log("error", "A backup could not be restored as a drill.", { backup: name, reason: error });
}
