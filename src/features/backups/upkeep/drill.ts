import { mkdtempSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../../config.ts";
import { errorInWords, AppError } from "../../../domain/errors.ts";
import { byteSize, countOf } from "../../../domain/text.ts";
import { countRows } from "../store/read-backup.ts";
import { countGuests } from "../../../app/bookings/guests.ts";
import { iterateSecrets } from "../../../app/master-key.ts";
import { RESERVE_BYTES } from "../../../app/disk-space.ts";
import { makeFolder, openRuntime, type Runtime } from "../../../app/runtime.ts";
import { type BackupState, readBackupState, saveBackupState } from "../state.ts";
import { findNewestBackup, isUnchangedSince, listNames, statBackup } from "../backups.ts";
import { restoreBackup } from "../restore/restore.ts";

type Drill = BackupState["drill"];

const BUSY_TIMEOUT_MS = 5000;
const FOLDER_PREFIX = ".deskbell-drill-";
const DAY_MS = 86_400_000;
/** The folder of a drill of this age was left by a process that was killed. */
const ABANDONED_MS = DAY_MS / 2;
const INTERVAL_MS = 30 * DAY_MS;
/** A restore in a drill does not change the number of rows in these tables. */
const COMPARED_TABLES = [
  "business",
  "catalog_object",
  "api_key",
  "endpoint",
  "endpoint_secret",
] as const;

/**
 * Returns whether a month has passed since the last drill; a failed one is repeated after the next
 * backup.
 */
export function isDrillDue({ config, now }: Runtime): boolean {
  const last = readBackupState(config, "drill");
  return last === null || last.error !== null || now() - last.at >= INTERVAL_MS;
}

/**
 * Restores a backup into a temporary folder, as `restore` would, and reads it with the master key.
 * The result is recorded, also if it is a failure.
 * @param path default: the newest backup
 * @throws AppError resource_not_found if there is no backup, or no file at the path
 */
export async function drillBackup(rt: Runtime, path = findNewestBackup(rt)?.path): Promise<Drill> {
  if (path === undefined)
    throw new AppError("resource_not_found", `There is no backup in ${rt.config.backupFolder}.`, {
      fix: "deskbell backup",
    });
  // A mistyped path says nothing about the backups, and is not recorded.
  statBackup(path);
  const drill = { at: rt.now(), name: basename(path), businesses: 0, secrets: 0 };
  const result = await restoreForDrill(rt, path).then(
    (counts) => ({ ...drill, ...counts, error: null }),
    (error: Error) => ({ ...drill, error: errorInWords(error) }),
  );
  saveBackupState(rt.config, "drill", result);
  return result;
}

async function restoreForDrill(rt: Runtime, path: string) {
  const { config } = rt;
  makeFolder(config.backupFolder);
  removeAbandonedDrills(rt);
  assertSpace(rt, path);
  const dataDir = mkdtempSync(join(config.backupFolder, FOLDER_PREFIX));
  try {
    const restored: Config = {
      ...config,
      mayCreate: false,
      dataDir,
      databasePath: join(dataDir, basename(config.databasePath)),
      backupFolder: join(dataDir, "backups"),
    };
    await restoreBackup(restored, path, {
      now: rt.now(),
      confirm: async () => {},
      // Nobody can read what a drill restores, so a file that another key authenticated is tried,
      // too.
      untrusted: true,
      keepAdded: true,
      keepMoved: true,
      isDrill: true,
      acceptGap: async () => {},
    });
    assertSameRows(path, restored.databasePath);
    const opened = openRuntime(restored, BUSY_TIMEOUT_MS, { now: rt.now, log: () => {} });
    try {
      return readRestored(opened, rt);
    } finally {
      opened.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

/**
 * Removes the folders of drills that were killed, which contain all data. A newer folder may belong
 * to a drill that another process runs.
 */
export function removeAbandonedDrills({ config: { backupFolder }, now, log }: Runtime): void {
  for (const name of listNames(backupFolder).filter((name) => name.startsWith(FOLDER_PREFIX))) {
    const path = join(backupFolder, name);
    if (!isUnchangedSince(path, now() - ABANDONED_MS)) continue;
    rmSync(path, { recursive: true, force: true });
    log("info", "deleted the data of a drill that was interrupted", { path });
  }
}

function assertSpace(rt: Runtime, path: string): void {
  // The live server refuses writes if less than the reserve is free, so a drill leaves twice that.
  const needed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + 2 * RESERVE_BYTES;
  const free = rt.freeBytes();
  if (free >= needed) return;
  throw new AppError(
    "storage_full",
    `A restore needs ${byteSize(needed)} on the disk of the data, which has ${byteSize(free)} free.`,
  );
}

function assertSameRows(backup: string, restored: string): void {
  const before = countRows(backup, COMPARED_TABLES);
  const after = countRows(restored, COMPARED_TABLES);
  const different = Object.keys(before).find((table) => before[table] !== after[table]);
  if (different === undefined) return;
  throw new AppError(
    "storage_failed",
    `The table ${different} has ${countOf(before[different] ?? 0, "row")} in the backup, but ${after[different]} when restored.`,
  );
}

/** @throws AppError signing_unavailable if the keys here do not decrypt all secrets and guests */
function readRestored(restored: Runtime, live: Runtime) {
  const { store, secrets } = restored;
  const rows = [...iterateSecrets({ store })];
  const undecryptable = secrets.listUndecryptable(rows).length;
  if (undecryptable > 0)
    throw new AppError(
      "signing_unavailable",
      `The master key does not decrypt ${undecryptable} of ${countOf(rows.length, "signing secret")}.`,
    );
  // The live data may have guests whose key was lost long ago.
  const { total, lost } = countGuests(restored);
  if (lost > countGuests(live).lost)
    throw new AppError(
      "signing_unavailable",
      `No master key decrypts the data of ${lost} of ${countOf(total, "guest")}.`,
    );
  return { businesses: store.businesses.list().length, secrets: rows.length };
}
