import type { FormatMetrics, ReadCopyTimes } from "../../app/operations/monitoring.ts";
import type { Runtime } from "../../app/runtime.ts";
import { formatMetric } from "../../http/pipeline/metrics.ts";
import { findNewestBackup } from "./backups.ts";
import { backupIntervalMs } from "./checks.ts";
import { readBackupState } from "./state.ts";

const DAY_MS = 86_400_000;

const readCopyTimes: ReadCopyTimes = (rt) => {
  const newest = findNewestBackup(rt);
  const copyAt = readBackupState(rt.config, "copy")?.createdAt;
  const perDay = DAY_MS / backupIntervalMs(rt.store.daemon.find());
  return {
    backupAt: newest?.createdAt,
    copyAt,
    copyBytesPerDay: newest && copyAt !== undefined ? Math.round(newest.bytes * perDay) : undefined,
  };
};

export const copyTimes: readonly ReadCopyTimes[] = [readCopyTimes];

const formatBackups = (rt: Runtime): string[] => {
  const { config, now } = rt;
  const daemon = rt.store.daemon.find();
  const copiedBackupAt = readBackupState(config, "copy")?.createdAt;
  const format = (name: string, about: string, at: number | undefined) =>
    formatMetric(`deskbell_backup_last_${name}_timestamp_seconds`, "gauge", about, [
      ["", (at ?? 0) / 1000],
    ]);
  return [
    format(
      "success",
      "When the last backup was made; 0 if there is none.",
      findNewestBackup(rt)?.createdAt,
    ),
    format(
      "copy",
      "When the newest backup that was copied to another place was made; 0 if there is none.",
      copiedBackupAt,
    ),
    formatMetric(
      "deskbell_copy_age_seconds",
      "gauge",
      "Age of the newest backup that was copied to another place: a takeover loses what is newer.",
      copiedBackupAt === undefined ? [] : [["", Math.max(now() - copiedBackupAt, 0) / 1000]],
    ),
    format(
      "drill",
      "When a backup was last restored as a drill, or failed to be; 0 if never.",
      readBackupState(config, "drill")?.at,
    ),
    formatMetric("deskbell_backup_interval_seconds", "gauge", "How often a backup is made.", [
      ["", backupIntervalMs(daemon) / 1000],
    ]),
  ];
};

export const metrics: readonly FormatMetrics[] = [formatBackups];
