import { shellQuote } from "../../../domain/text.ts";
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { copyDurably, syncFolder } from "../../../platform/durable-file.ts";
import { isRegularBackup } from "../store/files.ts";
import { copyErasureList, measureErasureList } from "../erasure-list.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { addChecksum, findChecksum, hashFile } from "../checksums.ts";
import { runBackupCommand } from "./copy-command.ts";
import { forgetBackupState, readBackupState, saveBackupState } from "../state.ts";
import { assertBackupDir, markFolder } from "./backup-dir.ts";
import { hashPlace, isOfPlace, recordCopyFailure, RETRY_MS } from "./copy-failures.ts";
import { type Backup, findNewestBackup, latestPlausibleTime, pruneBackups } from "../backups.ts";
import { readKeyFingerprint, recordKeyCopy } from "./key-copies.ts";

/** An upload of 10 GB takes this long at 4 Mbit/s. */
const COMMAND_TIMEOUT_MS = 6 * 3_600_000;

/**
 * Returns the newest backup if it must still be copied or passed to --backup-command. A backup that
 * was copied is returned, too, if guests were erased since then, because a restore of the copy must
 * erase them again.
 */
export function findUncopiedBackup(rt: Runtime): Backup | undefined {
  const { config, now } = rt;
  if (!hasCopyPlace(config)) return undefined;
  const newest = findNewestBackup(rt, isRegularBackup);
  if (newest === undefined) return undefined;
  const copy = readBackupState(config, "copy");
  // A copy whose time is later than now was made while the clock was ahead, and counts as older.
  const isCopied =
    isOfPlace(config, copy) &&
    copy.createdAt >= newest.createdAt &&
    copy.createdAt <= Math.max(latestPlausibleTime(rt), newest.createdAt);
  // A late list of erased guests makes the copy due again each minute, also after a failure,
  // because a restore of the last copy must erase the same guests.
  if (!isErasureListCopied(config)) return newest;
  if (isCopied) return undefined;
  const failure = readBackupState(config, "copy-failure");
  const isRetry = isOfPlace(config, failure) && failure.name === basename(newest.path);
  return isRetry && now() - failure.at < RETRY_MS ? undefined : newest;
}

/** Returns whether --backup-dir or --backup-command is set. */
export const hasCopyPlace = ({ backups }: Config): boolean =>
  backups.dir !== null || backups.command !== null;

/**
 * Returns whether --backup-dir has the whole list of erased guests; true without a --backup-dir.
 */
function isErasureListCopied(config: Config): boolean {
  const { dir } = config.backups;
  const copied = readBackupState(config, "erasure-list");
  const bytes = copied?.dir === dir ? copied.bytes : 0;
  return dir === null || bytes === measureErasureList(config);
}

type CopyOptions = {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Set while the daemon stops: --backup-command gets the backup after the next start. */
  isLast?: boolean;
};

/**
 * Copies a backup to --backup-dir and passes it to --backup-command. A failure is logged and
 * recorded.
 * @returns whether it was copied
 */
export async function copyBackup(
  rt: Runtime,
  backup: Backup,
  { signal, timeoutMs = COMMAND_TIMEOUT_MS, isLast = false }: CopyOptions = {},
): Promise<boolean> {
  const { config } = rt;
  const { dir, command, withKey } = config.backups;
  const name = basename(backup.path);
  try {
    const before = readBackupState(config, "copy");
    // If the command has received this backup before, only the list of erased guests is new.
    const isOnlyListNew =
      before?.hasCommand &&
      isOfPlace(config, before) &&
      before.name === name &&
      !isErasureListCopied(config);
    const isOtherDisk = dir !== null && (await copyToFolder(rt, backup, dir, signal));
    // The command does not start while the daemon stops, because the daemon would wait for it.
    signal?.throwIfAborted();
    if (command !== null && !isLast && !isOnlyListNew) {
      const key = withKey && existsSync(config.masterKeyPath) ? config.masterKeyPath : "";
      const variables = {
        DESKBELL_BACKUP_FILE: backup.path,
        DESKBELL_BACKUP_KEY: key,
        DESKBELL_BACKUP_ERASURES: copyErasures(rt, config.backupFolder),
      };
      await runBackupCommand(command, variables, timeoutMs, signal);
    }
    if (withKey) recordKeyCopy(config, rt.now());
    // The next start passes the backup to the command, so the copy is not complete before.
    if (command === null || !isLast)
      saveBackupState(config, "copy", {
        at: rt.now(),
        name,
        createdAt: backup.createdAt,
        dir,
        place: hashPlace(config),
        isOtherDisk,
        hasCommand: command !== null,
      });
    forgetBackupState(config, "copy-failure");
    rt.log("info", "copied a backup", { name, dir });
    return true;
  } catch (error) {
    if (!signal?.aborted)
      recordCopyFailure(rt, error, { name, isErasureListLate: !isErasureListCopied(config) });
    return false;
  }
}

/** Writes the list of erased guests to a folder of backups and returns its path. */
const copyErasures = ({ config, store, now }: Runtime, folder: string): string =>
  copyErasureList(config, folder, { server: store.file.getServerId(), asOf: now() });

/** @returns whether the folder is on another disk than the data */
async function copyToFolder(
  rt: Runtime,
  backup: Backup,
  dir: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const isOtherDisk = assertBackupDir(rt.config, dir);
  markFolder(rt, dir);
  // The list is copied first, because it is small and is the only record of what a restore must
  // erase. If a guest is erased during the copy, the list grows, and is therefore copied again.
  const bytes = measureErasureList(rt.config);
  copyErasures(rt, dir);
  saveBackupState(rt.config, "erasure-list", { dir, bytes });
  const checksum = findChecksum(backup.path) ?? (await hashFile(backup.path));
  const target = join(dir, basename(backup.path));
  if (!existsSync(target) || findChecksum(target) !== checksum)
    await copyVerified(rt, backup.path, target, checksum, signal);
  if (rt.config.backups.withKey) copyKey(rt, dir);
  try {
    syncFolder(dir);
  } catch {
    // Some network file systems cannot sync a folder. The file itself was synced.
  }
  pruneBackups(dir, Math.max(rt.now(), backup.createdAt));
  return isOtherDisk;
}

/** Copies a file. The copy gets its name only after it was read back and compared. */
async function copyVerified(
  rt: Runtime,
  from: string,
  to: string,
  checksum: string,
  signal: AbortSignal | undefined,
) {
  const draft = `${to}.draft-${rt.random(4).toString("hex")}`;
  try {
    await copyDurably(from, draft, { signal });
    if ((await hashFile(draft, signal)) !== checksum)
      throw new AppError("storage_failed", `The copy of ${from} in ${draft} is damaged.`, {
        fix: `deskbell backup verify ${shellQuote(from)}; if it is valid, check the disk of the copy`,
      });
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  addChecksum(to, checksum);
}

/** Copies the master key. The name depends on the key, so that old keys stay for older backups. */
function copyKey({ config }: Runtime, dir: string): void {
  const fingerprint = readKeyFingerprint(config);
  if (fingerprint === null) return;
  const target = join(dir, `master-${fingerprint}.key`);
  if (existsSync(target)) return;
  copyFileSync(config.masterKeyPath, `${target}.draft`);
  renameSync(`${target}.draft`, target);
}
