import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { byteSize, isoSeconds, shellQuote } from "../../domain/text.ts";
import { lostFileError } from "../../store/database/file-identity.ts";
import { readOnlyDiskError } from "../../store/database/storage-error.ts";
import { describeFreeSpace, RESERVE_BYTES } from "../disk-space.ts";
import type { Runtime } from "../runtime.ts";
import type { History } from "./history.ts";

/**
 * Free space below which the disk counts as almost full. It is several times `RESERVE_BYTES`, below
 * which no new data are accepted.
 */
const LOW_BYTES = 500_000_000;

/**
 * Reports a disk that is full, almost full or read-only, and a database that is no longer there.
 */
export function checkStorage(rt: Runtime): HealthCondition[] {
  const { databasePath, dataDir } = rt.config;
  const loss = rt.findLoss();
  if (loss !== undefined) {
    const { message, fix = "" } = lostFileError(databasePath, loss);
    return [openCondition("storage.gone", message, fix)];
  }
  if (rt.isDiskReadOnly()) {
    const { message, fix = "" } = readOnlyDiskError(databasePath);
    return [openCondition("storage.read_only", message, fix)];
  }
  const command = `df -h ${shellQuote(dataDir)}`;
  const free = rt.freeBytes();
  if (free >= LOW_BYTES) return [];
  const text = describeFreeSpace(rt, free);
  return free < RESERVE_BYTES
    ? [openCondition("storage.full", `${text}: no new data is accepted.`, command)]
    : [openCondition("storage.low", text, command)];
}

/** Reports damage if a row that every database has is missing. */
export function checkDamage({ config, store }: Runtime): HealthCondition[] {
  const missing = store.file.findMissingRow();
  return missing === undefined
    ? []
    : [damageCondition(`${config.databasePath} is damaged: ${missing}.`)];
}

/**
 * @param text a sentence about the damage
 * @param since epoch ms; null if it is not known
 */
export const damageCondition = (text: string, since: number | null = null): HealthCondition =>
  openCondition(
    "database.damaged",
    `${text.replace(/\.$/, "")}: stop the daemon and restore a backup`,
    "deskbell backup list",
    { since },
  );

/**
 * Time after which a program that still reads the database is reported. A backup takes less time,
 * even of a large file.
 */
const LOG_KEPT_MS = 30 * 60_000;

/**
 * Reports a program that has read the database since guests were erased, so that the write-ahead
 * log still has their data.
 */
export function checkErasedLog({ config, store, now }: Runtime): HealthCondition[] {
  const since = store.file.findLogKeptSince();
  if (since === null || now() - since < LOG_KEPT_MS) return [];
  const log = `${config.databasePath}-wal`;
  return [
    openCondition(
      "guests.in_log",
      `${log} still has the data of guests who were erased at ${isoSeconds(since)}, because a program reads the database without a pause`,
      `lsof ${shellQuote(log)}; then end the program that is not deskbell`,
    ),
  ];
}

/** Reports that events were deleted before their time, because the history was too large. */
export function checkHistory({ cutUntil, keepDays, maxBytes }: History): HealthCondition[] {
  if (cutUntil === null) return [];
  return [
    openCondition(
      "history.cut",
      `history was cut: delivered events and catalog changes up to ${isoSeconds(cutUntil)} were deleted before their ${keepDays} days were up, because the history is larger than ${byteSize(maxBytes)}`,
      "deskbell serve --keep-size SIZE (larger), or --keep-days N (fewer)",
    ),
  ];
}
