import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Config } from "../../config.ts";
import { errorInWords } from "../../domain/error-words.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { syncFolder } from "../../durable-file.ts";
import { isNightly, readCounters } from "../../store/backup.ts";
import { copyErasureList, measureErasureList } from "../guests/erasure-list.ts";
import type { Runtime } from "../runtime.ts";
import { addChecksum, findChecksum, hashFile } from "./backup-checksums.ts";
import { runBackupCommand } from "./backup-command.ts";
import { forgetBackupState, readBackupState, saveBackupState } from "./backup-state.ts";
import { assertNotTakenOver, readBackupDir, readOwnEpoch } from "./epochs.ts";
import { type Backup, listBackups, pruneBackups } from "./backups.ts";
import { readKeyFingerprint, recordKeyCopy } from "./key-copies.ts";
import { recordCounters } from "./recorded-counters.ts";

/** An upload of 10 GB takes this long at 4 Mbit/s. */
const COMMAND_TIMEOUT_MS = 6 * 3_600_000;
/** After a failure, unless there is a newer backup. */
const RETRY_MS = 3_600_000;

const RETRIED =
  "the list of erased guests could not be copied either; it is tried again each minute";

/**
 * Returns the newest backup if it must still be copied to another place, or passed to a command, or
 * if guests were erased since: a restore of the copy must erase them again.
 */
export function findUncopiedBackup({ config, now }: Runtime): Backup | undefined {
  const { dir, command } = config.backups;
  if (dir === null && command === null) return undefined;
  const newest = listBackups(config).find(({ path }) => isNightly(basename(path)));
  if (newest === undefined) return undefined;
  const copy = readBackupState(config, "copy");
  const isCopied = copy !== null && copy.dir === dir && copy.createdAt >= newest.createdAt;
  // Tried every minute until a restore of an older copy would erase the same guests.
  if (!isErasureListCopied(config)) return newest;
  if (isCopied) return undefined;
  const failure = readBackupState(config, "copy-failure");
  const isRetry = failure?.name === basename(newest.path);
  return isRetry && now() - failure.at < RETRY_MS ? undefined : newest;
}

/** Without a --backup-dir there is nothing to copy. */
function isErasureListCopied(config: Config): boolean {
  const { dir } = config.backups;
  const copied = readBackupState(config, "erasure-list");
  const bytes = copied?.dir === dir ? copied.bytes : 0;
  return dir === null || bytes === measureErasureList(config);
}

/** Copies a backup to --backup-dir and runs --backup-command. A failure is logged and recorded. */
export async function copyBackup(
  rt: Runtime,
  backup: Backup,
  {
    signal,
    timeoutMs = COMMAND_TIMEOUT_MS,
  }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<void> {
  const { config } = rt;
  const { dir, command, withKey } = config.backups;
  const name = basename(backup.path);
  try {
    const last = readBackupState(config, "copy");
    // The command has got this backup already.
    const isOnlyListNew =
      last?.hasCommand && last.dir === dir && last.name === name && !isErasureListCopied(config);
    const isOtherDisk = dir !== null && (await copyToFolder(rt, backup, dir, signal));
    // The daemon may have stopped meanwhile: it waits for a command that runs.
    signal?.throwIfAborted();
    if (command !== null && !isOnlyListNew) {
      const key = withKey && existsSync(config.masterKeyPath) ? config.masterKeyPath : "";
      const variables = { DESKBELL_BACKUP_FILE: backup.path, DESKBELL_BACKUP_KEY: key };
      await runBackupCommand(command, variables, timeoutMs, signal);
    }
    if (withKey) recordKeyCopy(config, rt.now());
    saveBackupState(config, "copy", {
      at: rt.now(),
      name,
      createdAt: backup.createdAt,
      dir,
      isOtherDisk,
      hasCommand: command !== null,
    });
    forgetBackupState(config, "copy-failure");
    rt.log("info", "copied a backup", { name, dir });
  } catch (error) {
    if (signal?.aborted) return;
    const { fix } = error as AppError;
    const reason = errorInWords(error);
    const at = rt.now();
    const last = readBackupState(config, "copy-failure");
    const since = last?.since ?? at;
    const isErasureListLate = !isErasureListCopied(config);
    // Once an hour, although the list is tried each minute.
    const hourOf = (ms: number) => Math.floor((ms - since) / RETRY_MS);
    const isNew = last?.reason !== reason || last.name !== name;
    if (isNew || hourOf(last.at) !== hourOf(at)) {
      const guests = isErasureListLate ? { erasedGuests: RETRIED } : {};
      rt.log("error", "A backup could not be copied.", { name, reason, fix, ...guests });
    }
    saveBackupState(config, "copy-failure", { at, since, name, reason, isErasureListLate });
  }
}

/** @returns whether the folder is on another disk than the data */
async function copyToFolder(
  rt: Runtime,
  backup: Backup,
  dir: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const isOtherDisk = assertBackupDir(rt.config, dir);
  claimFolder(rt, dir);
  // First, because it is small and the only record of what a restore must erase. A guest who is
  // erased during the copy changes its size again.
  const bytes = measureErasureList(rt.config);
  copyErasureList(rt.config, dir);
  saveBackupState(rt.config, "erasure-list", { dir, bytes });
  const checksum = findChecksum(backup.path) ?? (await hashFile(backup.path));
  const target = join(dir, basename(backup.path));
  if (!existsSync(target) || findChecksum(target) !== checksum)
    await copyVerified(rt, backup.path, target, checksum, signal);
  if (rt.config.backups.withKey) copyKey(rt, dir);
  try {
    syncFolder(dir);
  } catch {
    // Some network file systems cannot sync a folder; the file itself was synced.
  }
  pruneBackups(dir, rt.now());
  return isOtherDisk;
}

/**
 * Never creates the folder: if its disk is not mounted, the copy would be on the disk of the data.
 * @returns whether it is on another disk than the data
 * @throws AppError if the folder is missing, or another server has taken over with a copy in it
 */
export function assertBackupDir(config: Config, dir: string): boolean {
  const found = readBackupDir(dir, (path) => statSync(path, { throwIfNoEntry: false }));
  if (!found?.isDirectory())
    throw new AppError("resource_not_found", `--backup-dir: there is no folder ${dir}.`, {
      fix: "mount its disk, or create the folder",
    });
  const isOtherDisk = found.dev !== statSync(config.dataDir).dev;
  const last = readBackupState(config, "copy");
  if (!isOtherDisk && last?.dir === dir && last.isOtherDisk)
    throw new AppError(
      "state_refuses",
      `--backup-dir: ${dir} was on another disk until now, and is on that of the data.`,
      { fix: "mount its disk again, or name another folder" },
    );
  assertNotTakenOver(config, dir);
  return isOtherDisk;
}

/** In a folder of copies: the ID of the server that made them. */
const OWNER_FILE = "server-id";

/**
 * Two servers in one folder would delete each other's copies, and restore them in a takeover.
 * @throws AppError state_refuses if the folder has the copies of another server
 */
function claimFolder({ config, store }: Runtime, dir: string): void {
  const path = join(dir, OWNER_FILE);
  const id = store.file.getServerId();
  try {
    writeFileSync(path, `${id}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (readFileSync(path, "utf8").trim() !== id)
      throw new AppError(
        "state_refuses",
        `--backup-dir: ${dir} has the backups of another server.`,
        {
          fix: `give each server a folder of its own; if this one has replaced the other, rm ${shellQuote(path)}`,
        },
      );
  }
  const counters = readCounters(config.databasePath);
  recordCounters(dir, { epoch: readOwnEpoch(config), counters });
}

/** Logs at the start why --backup-dir will get no copy, instead of hours later. */
export function checkBackupDir(rt: Runtime): void {
  const { dir } = rt.config.backups;
  if (dir === null) return;
  try {
    claimFolder(rt, dir);
  } catch (error) {
    const { fix } = error as AppError;
    const reason = errorInWords(error);
    rt.log("error", "No backup can be copied to --backup-dir.", { reason, fix });
  }
}

/** The copy gets its name only after it was read back and compared. */
async function copyVerified(
  rt: Runtime,
  from: string,
  to: string,
  checksum: string,
  signal: AbortSignal | undefined,
) {
  const draft = `${to}.draft-${rt.random(4).toString("hex")}`;
  try {
    const output = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(createReadStream(from), output, { signal });
    if ((await hashFile(draft, signal)) !== checksum)
      throw new AppError("storage_failed", `The copy of ${from} in ${draft} is damaged.`, {
        fix: `deskbell backup verify ${from}; if it is valid, check the disk of the copy`,
      });
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  addChecksum(to, checksum);
}

/** A rotated key gets another name: older backups need the old one. */
function copyKey({ config }: Runtime, dir: string): void {
  const fingerprint = readKeyFingerprint(config);
  if (fingerprint === null) return;
  const target = join(dir, `master-${fingerprint}.key`);
  if (existsSync(target)) return;
  copyFileSync(config.masterKeyPath, `${target}.draft`);
  renameSync(`${target}.draft`, target);
}
