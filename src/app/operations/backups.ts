import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { backupName, isDraft, isNightly, readBackupTime } from "../../store/backup-names.ts";
import { checkDatabase, copyDatabase, removeDatabase, syncFolder } from "../../store/backup.ts";

export type Backup = { path: string; bytes: number; madeAt: number };
export type BackupFailure = { at: number; reason: string };

const KEPT = 7;
const ABANDONED_MS = 86_400_000;

/** Beside the backups, not in the database: a database that cannot be copied may not take a note either. */
const notePath = (config: Config): string => join(config.backupFolder, "last-failure.json");

/** Copies the data beside whoever writes to it. The file has its name only after it was read back and found sound. */
export async function createBackup(rt: Runtime): Promise<Backup> {
  const { config } = rt;
  const folder = config.backupFolder;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const madeAt = Math.floor(rt.now() / 1000) * 1000;
  const path = join(folder, backupName(madeAt));
  const draft = `${path}.draft-${rt.random(4).toString("hex")}`;
  try {
    await copyDatabase(config.databasePath, draft);
    checkDatabase(draft);
    renameSync(draft, path);
    syncFolder(folder);
  } catch (error) {
    removeDatabase(draft);
    throw explainFailure(error, config);
  }
  rmSync(notePath(config), { force: true });
  return { path, bytes: statSync(path).size, madeAt };
}

/** A copy that is not sound tells of data that are not. */
function explainFailure(error: unknown, { databasePath }: Config): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError("state_refuses", `${databasePath} cannot be backed up: ${error.message}`, {
    fix: "stop the daemon and restore an earlier backup: deskbell backup list",
  });
}

/** The newest first. */
export function listBackups({ backupFolder }: Config): Backup[] {
  return namesIn(backupFolder)
    .flatMap((name) => {
      const madeAt = readBackupTime(name);
      const path = join(backupFolder, name);
      return madeAt === undefined ? [] : [{ path, bytes: statSync(path).size, madeAt }];
    })
    .toSorted((a, b) => b.madeAt - a.madeAt);
}

/** @throws AppError that says what is wrong with it */
export function verifyBackup(path: string): { path: string; bytes: number; schema: number } {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile())
    throw new AppError(
      "resource_not_found",
      file ? `${path} is no file.` : `There is no file ${path}.`,
      {
        fix: "deskbell backup list",
      },
    );
  return { path, bytes: file.size, schema: checkDatabase(path) };
}

/** Makes the night's backup, and then lets go of the oldest. It never throws: deliveries go on without it. */
export async function backUpNightly(rt: Runtime): Promise<void> {
  try {
    const { path, bytes } = await createBackup(rt);
    rt.log("info", "backed up", { path, bytes });
    prune(rt);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    rt.log("error", "The nightly backup failed.", { reason });
    noteFailure(rt, { at: rt.now(), reason });
  }
}

function prune(rt: Runtime): void {
  const nights = listBackups(rt.config).filter(({ path }) => isNightly(basename(path)));
  for (const { path } of nights.slice(KEPT)) rmSync(path);
  const { backupFolder } = rt.config;
  for (const name of namesIn(backupFolder).filter(isDraft)) {
    const draft = join(backupFolder, name);
    if (rt.now() - statSync(draft).mtimeMs > ABANDONED_MS) rmSync(draft);
  }
}

function noteFailure(rt: Runtime, failure: BackupFailure): void {
  try {
    writeFileSync(notePath(rt.config), JSON.stringify(failure), { mode: 0o600 });
  } catch {
    // The disk is full, or not to be written: the log has it, and in time the age of the last backup tells.
  }
}

/** Of the last nightly backup, unless one has been made since. */
export function lastBackupFailure(config: Config): BackupFailure | null {
  try {
    return JSON.parse(readFileSync(notePath(config), "utf8")) as BackupFailure;
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
