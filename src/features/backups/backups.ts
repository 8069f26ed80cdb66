import { existsSync, readdirSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../config.ts";
import { hasTag } from "./tag.ts";
import { errorInWords, AppError } from "../../domain/errors.ts";
import { syncFolder } from "../../platform/durable-file.ts";
import { addChecksum, CHECKSUMS, findChecksum, hashFile, pruneChecksums } from "./checksums.ts";
import { describeMissingTag, tagBackup } from "./authenticity.ts";
import { forgetBackupState, saveBackupState } from "./state.ts";
import { copyErasureList } from "./erasure-list.ts";
import { makeFolder, type Runtime } from "../../app/runtime.ts";
import { shellQuote } from "../../domain/text.ts";
import { lostFileError } from "../../store/database/file-identity.ts";
import type { DamagedDatabaseError } from "../../store/database/storage-error.ts";
import {
  backupName,
  isDraft,
  isRegularBackup,
  readBackupTime,
  assertKnownSchema,
  checkDatabase,
  copyDatabase,
  removeDatabase,
} from "./store/files.ts";

/** `createdAt` is in epoch ms. */
export type Backup = { path: string; bytes: number; createdAt: number };

/** The number of newest backups that are kept. */
const KEPT_BACKUPS = 7;
/** The number of days whose newest backup is kept. Days without a backup do not count. */
export const KEPT_DAYS = 7;
/** A draft that was not changed for this time was left by a process that was killed. */
const ABANDONED_DRAFT_MS = 86_400_000;
/** The code of an error that shows damage of the database. */
const DAMAGE_CODE = "storage_failed";

/**
 * Makes a backup. The file gets its name only after it was verified.
 * @param onCopied called when the data are copied, before they are verified
 */
export async function createBackup(rt: Runtime, onCopied = () => {}): Promise<Backup> {
  const { config } = rt;
  const folder = config.backupFolder;
  const loss = rt.findLoss();
  if (loss !== undefined) throw lostFileError(config.databasePath, loss);
  makeFolder(folder);
  const createdAt = findUnusedTime(folder, Math.floor(rt.now() / 1000) * 1000);
  const path = join(folder, backupName(createdAt));
  const draft = `${path}.draft-${rt.random(4).toString("hex")}`;
  try {
    await copyDatabase(config.databasePath, draft);
    rt.store.file.shortenLog();
    onCopied();
    checkDatabase(draft);
    const checksum = tagBackup(config, draft, createdAt, rt.random);
    // A restore regards the list as newer than the backup only if the time of the list is not
    // before `createdAt`, which can be ahead of the clock.
    const asOf = Math.max(rt.now(), createdAt);
    copyErasureList(config, folder, { server: rt.store.file.getServerId(), asOf });
    renameSync(draft, path);
    addChecksum(path, checksum);
    syncFolder(folder);
  } catch (error) {
    removeDatabase(draft);
    throw backupError(error, config);
  }
  forgetBackupState(config, "failure");
  return { path, bytes: statSync(path).size, createdAt };
}

/**
 * Returns the first time from `at` on that no backup has. Two backups of the same second need
 * different names, because the name tells whether a backup was already copied elsewhere.
 */
const findUnusedTime = (folder: string, at: number): number =>
  existsSync(join(folder, backupName(at))) ? findUnusedTime(folder, at + 1000) : at;

/**
 * Returns the error of a backup that failed. A copy that is not valid (`invalid_input`) means a
 * damaged database. Another reason, such as a full disk, has a fix of its own.
 */
function backupError(error: unknown, { databasePath }: Config): unknown {
  if (!(error instanceof AppError)) return error;
  const message = `Cannot back up ${databasePath}: ${error.message}`;
  if (error.code !== "invalid_input")
    return new AppError("state_refuses", message, { fix: error.fix ?? "deskbell doctor" });
  return new AppError(DAMAGE_CODE, message, {
    fix: "stop the daemon and restore an earlier backup: deskbell backup list",
  });
}

export const listBackups = ({ backupFolder }: Config): Backup[] => listBackupsIn(backupFolder);

/**
 * Each further backup of one second is dated one second later (`findUnusedTime`), so the time of a
 * backup may be ahead of the clock. A minute allows for 60 backups of one second.
 */
const MAX_AHEAD_MS = 60_000;

/**
 * Returns the latest time (epoch ms) that a backup can have. A backup with a later time was made
 * while the clock was ahead.
 */
export const latestPlausibleTime = ({ now }: Pick<Runtime, "now">): number => now() + MAX_AHEAD_MS;

/**
 * Returns the newest backup. A backup that was made while the clock was ahead counts as older than
 * all others.
 */
export function findNewestBackup(
  rt: Pick<Runtime, "config" | "now">,
  isWanted: (name: string) => boolean = () => true,
): Backup | undefined {
  const backups = listBackups(rt.config).filter(({ path }) => isWanted(basename(path)));
  return backups.find(({ createdAt }) => createdAt <= latestPlausibleTime(rt)) ?? backups[0];
}

/** Lists the backups in a folder, the newest first. */
export function listBackupsIn(folder: string): Backup[] {
  return listNames(folder)
    .flatMap((name) => {
      const createdAt = readBackupTime(name);
      if (createdAt === undefined) return [];
      const path = join(folder, name);
      const bytes = readSize(path);
      return bytes === undefined ? [] : [{ path, bytes, createdAt }];
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/**
 * Returns the size of a file; undefined if it is no file, or if another process has removed it since
 * it was listed; 0 if it is on a bad sector, so that the other backups stay usable. Verifying the
 * file reports the error.
 */
function readSize(path: string): number | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return 0;
    throw error;
  }
}

/** @throws AppError resource_not_found if there is no file at the path */
export function statBackup(path: string): Stats {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile()) return file;
  throw new AppError(
    "resource_not_found",
    file ? `Not a file: ${path}.` : `There is no file ${path}.`,
    { fix: "deskbell backup list" },
  );
}

type VerifiedBackup = { path: string; bytes: number; schema: number };

/** @throws AppError if the file is no intact backup, or differs from its recorded checksum */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const file = statBackup(path);
  const schema = checkDatabase(path);
  assertKnownSchema(path);
  await assertUnchanged(path);
  return { path, bytes: file.size, schema };
}

/**
 * Returns the error of a damaged database with the command that restores the newest good backup.
 */
export async function nameGoodBackup(
  config: Config,
  { code, message }: DamagedDatabaseError,
): Promise<AppError> {
  for (const { path } of listBackups(config)) {
    const isGood = await verifyBackup(path).then(
      () => true,
      () => false,
    );
    if (isGood) return new AppError(code, message, { fix: `deskbell restore ${shellQuote(path)}` });
  }
  const fix = `no backup in ${config.backupFolder} is intact: look for a copy in another place, then run deskbell restore FILE`;
  return new AppError(code, message, { fix });
}

/**
 * Compares a file with the checksum that was recorded when it was made, because SQLite does not
 * find damage inside a value.
 * @throws AppError invalid_input if they differ
 */
export async function assertUnchanged(path: string): Promise<void> {
  const checksum = findChecksum(path);
  if (checksum === undefined || checksum === (await hashFile(path))) return;
  throw new AppError(
    "invalid_input",
    `${path} is damaged: its SHA-256 differs from ${CHECKSUMS}.`,
    {
      fix: `choose another backup: deskbell backup list; to use this one all the same, delete its line from ${CHECKSUMS}`,
    },
  );
}

/**
 * Makes a backup and deletes old ones. A failure, such as damage of the database, is logged and
 * recorded, and the result is undefined.
 */
export async function backUpNightly(
  rt: Runtime,
  onCopied?: () => void,
): Promise<Backup | undefined> {
  try {
    const backup = await createBackup(rt, onCopied);
    const { path, bytes } = backup;
    rt.log("info", "backed up", { path, bytes });
    if (!hasTag(path)) {
      const { why: reason, fix } = describeMissingTag(rt.config);
      rt.log("warn", "The backup has no authentication tag.", { path, reason, fix });
    }
    pruneBackups(rt.config.backupFolder, Math.max(rt.now(), backup.createdAt));
    return backup;
  } catch (error) {
    const reason = errorInWords(error);
    rt.log("error", "The nightly backup failed.", { reason });
    // Another condition reports the lost database, and the folder may belong to other data now.
    if (rt.findLoss() !== undefined) return undefined;
    const isDamaged = error instanceof AppError && error.code === DAMAGE_CODE;
    const failure = { at: rt.now(), reason, ...(isDamaged && { isDamaged }) };
    saveBackupState(rt.config, "failure", failure);
    return undefined;
  }
}

/**
 * Deletes old backups and abandoned drafts, in the backup folder or in --backup-dir.
 * @param now not before the time of the backup that was just made
 */
export function pruneBackups(folder: string, now: number): void {
  const backups = listBackupsIn(folder).filter(({ path }) => isRegularBackup(basename(path)));
  // A backup that was made while the clock was ahead counts as older than all others.
  const past = backups.filter(({ createdAt }) => createdAt <= now);
  const ahead = backups.filter(({ createdAt }) => createdAt > now);
  // `force` ignores files that another process has deleted in the meantime.
  for (const { path } of listExpired([...past, ...ahead])) rmSync(path, { force: true });
  const names = listNames(folder);
  pruneChecksums(folder, names);
  for (const name of names.filter(isDraft)) {
    const draft = join(folder, name);
    if (isUnchangedSince(draft, now - ABANDONED_DRAFT_MS)) rmSync(draft, { force: true });
  }
}

/**
 * Returns whether a file or folder was last changed before a time (epoch ms). The result is false if
 * another process has removed it since it was listed.
 */
export function isUnchangedSince(path: string, time: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < time;
}

/** Returns the backups that are no longer kept. @param backups newest first */
function listExpired(backups: readonly Backup[]): Backup[] {
  const newestOfDay = new Map<string, Backup>();
  for (const backup of backups) {
    const day = new Date(backup.createdAt).toISOString().slice(0, 10);
    if (!newestOfDay.has(day)) newestOfDay.set(day, backup);
  }
  const kept = new Set([
    ...backups.slice(0, KEPT_BACKUPS),
    ...[...newestOfDay.values()].slice(0, KEPT_DAYS),
  ]);
  return backups.filter((backup) => !kept.has(backup));
}

/**
 * Returns the names of the files in a folder; none if there is no folder, or a file in its place.
 * The next backup reports such a file, and status and doctor must work until then.
 */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
