import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { AppError } from "../../domain/errors.ts";
import type { BeforeMigration } from "../../store/safeguard.ts";
import { isStorageFull } from "../../store/database/storage-error.ts";
import { tagBackup } from "./authenticity.ts";
import { backupNameBefore, checkDatabase, copyCommitted, readBackupTime } from "./store/files.ts";

/** Makes a verified backup before a migration. */
export const backUpBeforeMigration: BeforeMigration = {
  findCopy: ({ backupFolder }) => newestBackup(backupFolder),
  copy,
};

function copy(
  config: Config,
  schema: number,
  at: number,
  random: (bytes: number) => Buffer,
): string {
  const { databasePath: path, backupFolder: folder } = config;
  const to = unusedPath(folder, schema, at);
  try {
    // A recursive mkdir would report a failed disk as a missing folder.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    copyCommitted(path, to, (draft) => void tagBackup(config, draft, at, random));
    return to;
  } catch (error) {
    rmSync(`${to}.draft`, { force: true });
    throw backupError(error, path, folder);
  }
}

/** Returns the newest intact backup, or the newest one if none is intact. */
function newestBackup(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const made = readdirSync(folder).map((name) => ({ name, at: readBackupTime(name) ?? -1 }));
  const newestFirst = made.filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at);
  const paths = newestFirst.map(({ name }) => join(folder, name));
  return paths.find(isIntact) ?? paths[0];
}

function isIntact(path: string): boolean {
  try {
    checkDatabase(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns a path without a file: another migration may have made a backup in the same second. */
function unusedPath(folder: string, schema: number, now: number): string {
  const path = join(folder, backupNameBefore(schema, now));
  return existsSync(path) ? unusedPath(folder, schema, now + 1000) : path;
}

function backupError(error: unknown, path: string, folder: string): unknown {
  if (isStorageFull(error) || (error as { code?: string }).code === "ENOSPC")
    return new AppError(
      "storage_full",
      `No space in ${folder} for the backup before the migration; ${path} is unchanged.`,
      { fix: "free at least the size of that file, and try again" },
    );
  if (!(error instanceof AppError)) return error;
  return new AppError(
    "state_refuses",
    `${path} was not migrated, because its backup is not valid: ${error.message}`,
    { fix: "restore an earlier backup: deskbell backup list" },
  );
}
