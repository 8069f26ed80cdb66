import { shellQuote } from "../../../domain/text.ts";
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../../config.ts";
import { AppError, errorInWords } from "../../../domain/errors.ts";
import { copyDurably, syncFolder } from "../../../platform/durable-file.ts";
import { isRegularBackup } from "../store/files.ts";
import { copyErasureList, measureErasureList } from "../erasure-list.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { addChecksum, findChecksum, hashFile } from "../checksums.ts";
import { isFormerLast } from "../authenticity.ts";
import { runBackupCommand } from "./copy-command.ts";
import {
  type CommandResult,
  forgetBackupState,
  readBackupState,
  saveBackupState,
} from "../state.ts";
import { readOwnEpoch } from "../own-epoch.ts";
import { readNewestEpoch } from "../restore/epochs.ts";
import { assertBackupDir, markFolder } from "./backup-dir.ts";
import {
  type CopyFailure,
  hashPlace,
  isOfPlace,
  recordCopyFailure,
  RETRY_MS,
} from "./copy-failures.ts";
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
  const newest = findNewestToCopy(rt);
  if (newest === undefined) return undefined;
  const copy = readBackupState(config, "copy");
  // A copy whose time is later than now was made while the clock was ahead, and counts as older.
  const isCopied =
    isOfPlace(config, copy) &&
    copy.createdAt >= newest.createdAt &&
    copy.createdAt <= Math.max(latestPlausibleTime(rt), newest.createdAt);
  // The newest backup is due again each minute, even after a failure, while --backup-dir lacks a
  // part of the list of erased guests. A restore of the last copy must erase these guests, too.
  if (!isErasureListCopied(config)) return newest;
  if (isCopied) return undefined;
  const failure = readBackupState(config, "copy-failure");
  const isRetry = isOfPlace(config, failure) && failure.name === basename(newest.path);
  const isTried = isRetry && failure.isCommandDue !== true;
  return isTried && now() - failure.at < RETRY_MS ? undefined : newest;
}

/**
 * Returns the newest backup, apart from backups that were made for cancelled or failed handovers.
 * Such a backup is not copied: a new one replaces it.
 */
function findNewestToCopy(rt: Runtime): Backup | undefined {
  const { config } = rt;
  const newest = findNewestBackup(rt, isRegularBackup);
  if (newest === undefined || !isFormerLast(config, newest.path)) return newest;
  return findNewestBackup(
    rt,
    (name) => isRegularBackup(name) && !isFormerLast(config, join(config.backupFolder, name)),
  );
}

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
  /**
   * Set while the daemon stops: --backup-command does not run now, and gets the backup after the
   * next start.
   */
  isLast?: boolean;
};

/**
 * Copies a backup to --backup-dir and passes it to --backup-command. The command runs even if the
 * copy to --backup-dir fails, unless another server has taken over. Failures are logged and
 * recorded.
 * @returns whether the backup has reached each place that is set; with `isLast`, --backup-command
 * does not count
 */
export async function copyBackup(
  rt: Runtime,
  backup: Backup,
  { signal, timeoutMs = COMMAND_TIMEOUT_MS, isLast = false }: CopyOptions = {},
): Promise<boolean> {
  const { config } = rt;
  const { dir, command, withKey } = config.backups;
  const name = basename(backup.path);
  const failures: CopyFailure[] = [];
  const copyTo = async (option: CopyFailure["option"], copy: () => Promise<void>) => {
    try {
      await copy();
      return true;
    } catch (error) {
      failures.push({ option, error });
      return false;
    }
  };
  const received = command === null ? undefined : findCommandResult(rt, name);
  let isOtherDisk = false;
  const isInFolder =
    dir !== null &&
    (await copyTo("--backup-dir", async () => {
      isOtherDisk = await copyToFolder(rt, backup, dir, signal);
    }));
  // The command does not start while the daemon stops, because the daemon would wait for it.
  if (signal?.aborted) return false;
  const isReplaced = failures.length > 0 && isTakenOver(config);
  const mustRun = command !== null && !isLast && !isReplaced && received === undefined;
  const isPassed = mustRun
    ? await copyTo("--backup-command", () =>
        passToCommand(rt, backup, command, { signal, timeoutMs }),
      )
    : received?.reason === null;
  const result = mustRun
    ? { at: rt.now(), reason: isPassed ? null : errorInWords(failures.at(-1)?.error) }
    : received;
  if (withKey && (isInFolder || (mustRun && isPassed))) recordKeyCopy(config, rt.now());
  if (typeof received?.reason === "string")
    failures.push({ option: "--backup-command", error: new Error(received.reason) });
  if (failures.length > 0) {
    if (signal?.aborted) return false;
    recordCopyFailure(rt, failures, {
      name,
      isErasureListLate: !isErasureListCopied(config),
      isPartial: command !== null && dir !== null && isInFolder !== isPassed,
      command: result,
      isCommandDue: isLast && command !== null,
    });
    return false;
  }
  // A last copy is not recorded as complete if there is a command, because the next start must pass
  // the backup to the command.
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
}

/**
 * Returns the earlier result of --backup-command for a backup if the command must not run again,
 * because it has received the backup or has failed less than an hour ago; otherwise undefined. A
 * backup can be due again for --backup-dir alone, which also gets the list of erased guests.
 */
function findCommandResult({ config, now }: Runtime, name: string): CommandResult | undefined {
  const copy = readBackupState(config, "copy");
  const isCopied = copy?.hasCommand === true && isOfPlace(config, copy) && copy.name === name;
  if (isCopied && !isErasureListCopied(config)) return { at: copy.at, reason: null };
  const failure = readBackupState(config, "copy-failure");
  if (!isOfPlace(config, failure) || failure.name !== name) return undefined;
  const { command } = failure;
  if (command === undefined || command.reason === null) return command;
  return now() - command.at < RETRY_MS ? command : undefined;
}

/**
 * Returns whether another server has taken over with a copy in --backup-dir. The command must not
 * run then, because it may overwrite the newest backup of the other server.
 */
function isTakenOver(config: Config): boolean {
  const { dir } = config.backups;
  try {
    return dir !== null && readNewestEpoch(dir) > readOwnEpoch(config);
  } catch {
    // A folder that cannot be read is reported as a failure of --backup-dir.
    return false;
  }
}

async function passToCommand(
  rt: Runtime,
  backup: Backup,
  command: string,
  { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
): Promise<void> {
  const { config } = rt;
  const hasKey = config.backups.withKey && existsSync(config.masterKeyPath);
  const variables = {
    DESKBELL_BACKUP_FILE: backup.path,
    DESKBELL_BACKUP_KEY: hasKey ? config.masterKeyPath : "",
    DESKBELL_BACKUP_ERASURES: copyErasures(rt, config.backupFolder),
  };
  await runBackupCommand(command, variables, timeoutMs, signal);
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

/**
 * Copies the master key. The name of the copy depends on the key, so that copies of old keys stay
 * for older backups.
 */
function copyKey({ config }: Runtime, dir: string): void {
  const fingerprint = readKeyFingerprint(config);
  if (fingerprint === null) return;
  const target = join(dir, `master-${fingerprint}.key`);
  if (existsSync(target)) return;
  copyFileSync(config.masterKeyPath, `${target}.draft`);
  renameSync(`${target}.draft`, target);
}
