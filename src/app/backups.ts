import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { checkDatabase, copyDatabase, removeDatabase, syncFolder } from "../store/backup.ts";

export type Backup = { path: string; bytes: number; madeAt: number };
export type BackupFailure = { at: number; reason: string };

const KEPT = 7;
const NAME = /^deskbell-(\d{8})T(\d{6})Z\.db$/;
/** What an interrupted backup left behind. */
const DRAFT = /^deskbell-.*\.draft/;
const ABANDONED_MS = 86_400_000;

const folderOf = (config: Config): string => join(config.dataDir, "backups");
/** Beside the backups, not in the database: a database that cannot be copied may not take a note either. */
const notePath = (config: Config): string => join(folderOf(config), "last-failure.json");

/** Copies the data beside whoever writes to it. The file has its name only after it was read back and found sound. */
export async function createBackup(rt: Runtime): Promise<Backup> {
  const { config } = rt;
  const folder = folderOf(config);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const madeAt = Math.floor(rt.now() / 1000) * 1000;
  const path = join(folder, `deskbell-${compactTime(madeAt)}.db`);
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
export function listBackups(config: Config): Backup[] {
  const folder = folderOf(config);
  return namesIn(folder)
    .flatMap((name) => {
      const [, date, time] = NAME.exec(name) ?? [];
      if (date === undefined || time === undefined) return [];
      const path = join(folder, name);
      return [{ path, bytes: statSync(path).size, madeAt: readTime(date, time) }];
    })
    .toSorted((a, b) => b.madeAt - a.madeAt);
}

/** @throws AppError that says what is wrong with it */
export function verifyBackup(path: string): { path: string; bytes: number; schema: number } {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile())
    throw new AppError("resource_not_found", `There is no file ${path}.`, { fix: "deskbell backup list" });
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
  for (const { path } of listBackups(rt.config).slice(KEPT)) rmSync(path);
  const folder = folderOf(rt.config);
  for (const name of namesIn(folder).filter((name) => DRAFT.test(name))) {
    const draft = join(folder, name);
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

/** `20261120T031700Z`: fit for a file name, and sorted as it is written. */
const compactTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;

const readTime = (date: string, time: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime("UTC").epochMilliseconds;
