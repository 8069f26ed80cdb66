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
import { type Alert, makeServerAlert } from "../webhooks/alerts.ts";
import { lostFileError } from "../../store/file-identity.ts";
import {
  backupName,
  isDraft,
  isNightly,
  readBackupTime,
  assertKnownSchema,
  checkDatabase,
  copyDatabase,
  removeDatabase,
  syncFolder,
} from "../../store/backup.ts";

export type Backup = { path: string; bytes: number; createdAt: number };
export type BackupFailure = { at: number; reason: string; isDamaged?: boolean };

const MAX_NIGHTLY = 7;
const ABANDONED_MS = 86_400_000;
const DAMAGED = "storage_failed";

/** A file in the backup folder: a database that cannot be copied may not be writable either. */
const failurePath = (config: Config): string => join(config.backupFolder, "last-failure.json");

/** The copy gets its name only after it was verified. */
export async function createBackup(rt: Runtime): Promise<Backup> {
  const { config } = rt;
  const folder = config.backupFolder;
  const loss = rt.findLoss();
  if (loss !== undefined) throw lostFileError(config.databasePath, loss);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const createdAt = Math.floor(rt.now() / 1000) * 1000;
  const path = join(folder, backupName(createdAt));
  const draft = `${path}.draft-${rt.random(4).toString("hex")}`;
  try {
    await copyDatabase(config.databasePath, draft);
    checkDatabase(draft);
    renameSync(draft, path);
    syncFolder(folder);
  } catch (error) {
    removeDatabase(draft);
    throw backupError(error, config);
  }
  forgetBackupFailure(config);
  return { path, bytes: statSync(path).size, createdAt };
}

/** If the copy is damaged, so is the database. */
function backupError(error: unknown, { databasePath }: Config): unknown {
  if (!(error instanceof AppError)) return error;
  const code = error.code === "invalid_input" ? DAMAGED : "state_refuses";
  return new AppError(code, `Cannot back up ${databasePath}: ${error.message}`, {
    fix: "stop the daemon and restore an earlier backup: deskbell backup list",
  });
}

export function listBackups({ backupFolder }: Config): Backup[] {
  return listNames(backupFolder)
    .flatMap((name) => {
      const createdAt = readBackupTime(name);
      const path = join(backupFolder, name);
      return createdAt === undefined ? [] : [{ path, bytes: statSync(path).size, createdAt }];
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

export function verifyBackup(path: string): { path: string; bytes: number; schema: number } {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile())
    throw new AppError(
      "resource_not_found",
      file ? `Not a file: ${path}.` : `There is no file ${path}.`,
      { fix: "deskbell backup list" },
    );
  const schema = checkDatabase(path);
  assertKnownSchema(path, schema);
  return { path, bytes: file.size, schema };
}

/**
 * Also deletes the oldest, and reports if the database is damaged. It never throws: deliveries must
 * continue.
 */
export async function backUpNightly(
  rt: Runtime,
  onAlert: (alert: Alert) => void = () => {},
): Promise<void> {
  try {
    const { path, bytes } = await createBackup(rt);
    rt.log("info", "backed up", { path, bytes });
    prune(rt);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    rt.log("error", "The nightly backup failed.", { reason });
    // Another condition reports this, and the folder may belong to other data now.
    if (rt.findLoss() !== undefined) return;
    const isDamaged = error instanceof AppError && error.code === DAMAGED;
    recordFailure(rt, { at: rt.now(), reason, ...(isDamaged && { isDamaged }) });
    if (!isDamaged) return;
    onAlert(makeServerAlert(rt, "database.damaged", reason));
  }
}

function prune(rt: Runtime): void {
  const nightly = listBackups(rt.config).filter(({ path }) => isNightly(basename(path)));
  for (const { path } of nightly.slice(MAX_NIGHTLY)) rmSync(path);
  const { backupFolder } = rt.config;
  for (const name of listNames(backupFolder).filter(isDraft)) {
    const draft = join(backupFolder, name);
    if (rt.now() - statSync(draft).mtimeMs > ABANDONED_MS) rmSync(draft);
  }
}

function recordFailure(rt: Runtime, failure: BackupFailure): void {
  try {
    writeFileSync(failurePath(rt.config), JSON.stringify(failure), { mode: 0o600 });
  } catch {
    // The disk is full or read-only. The failure is logged, and `status` reports old backups.
  }
}

/** Until a backup succeeds or is restored. */
export function lastBackupFailure(config: Config): BackupFailure | null {
  try {
    return JSON.parse(readFileSync(failurePath(config), "utf8")) as BackupFailure;
  } catch {
    return null;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export const forgetBackupFailure = (config: Config): void =>
  rmSync(failurePath(config), { force: true });
