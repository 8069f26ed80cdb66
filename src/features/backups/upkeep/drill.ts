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
/** A drill's folder that has not changed for this time was left by a process that was killed. */
const ABANDONED_MS = DAY_MS / 2;
const INTERVAL_MS = 30 * DAY_MS;
/**
 * Tables whose numbers of rows are compared before and after the restore, because a restore in a
 * drill does not change them.
 */
const COMPARED_TABLES = [
  "business",
  "catalog_object",
  "api_key",
  "endpoint",
  "endpoint_secret",
] as const;

/**
 * Returns whether to restore a backup as a drill: if there was no drill yet, if the last drill
 * failed, or if it was 30 days ago.
 */
export function isDrillDue({ config, now }: Runtime): boolean {
  const last = readBackupState(config, "drill");
  return last === null || last.error !== null || now() - last.at >= INTERVAL_MS;
}

/**
 * Restores a backup into a temporary folder, as `restore` would, and reads it with the master key.
 * The result is recorded, whether the drill succeeds or fails.
 * @param path default: the newest backup
 * @throws AppError resource_not_found if there is no backup, or no file at the path
 */
export async function drillBackup(rt: Runtime, path = findNewestBackup(rt)?.path): Promise<Drill> {
  if (path === undefined)
    throw new AppError("resource_not_found", `There is no backup in ${rt.config.backupFolder}.`, {
      fix: "deskbell backup",
    });
  // `statBackup` throws for a mistyped path before anything is recorded, because such a path says
  // nothing about the backups.
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
      // `untrusted` lets a drill try a file that another key authenticated. Nobody can read what a
      // drill restores, so this does no harm.
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
 * Removes the folders that killed drills left behind, because each contains a copy of all data. A
 * newer folder may belong to a drill that another process is running.
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
  // The live data may contain guests whose key was lost long ago, so only a larger number of lost
  // guests is an error.
  const { total, lost } = countGuests(restored);
  if (lost > countGuests(live).lost)
    throw new AppError(
      "signing_unavailable",
      `No master key decrypts the data of ${lost} of ${countOf(total, "guest")}.`,
    );
  return { businesses: store.businesses.list().length, secrets: rows.length };
}
