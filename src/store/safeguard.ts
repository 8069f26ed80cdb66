import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { shellQuote } from "../domain/text.ts";
import { namePath, syncFolder } from "../platform/durable-file.ts";
import { checkDatabase, backupNameBefore, readBackupTime } from "./backup.ts";
import { acquireDaemonLock } from "./database/database.ts";
import { assertNotInUse } from "./database/file-identity.ts";
import type { Safeguard } from "./database/schema.ts";
import { isStorageFull } from "./database/storage-error.ts";

type SafeguardedPaths = { databasePath: string; backupFolder: string; masterKeyPath: string };

/**
 * Before a migration: makes a verified backup, and makes sure that no daemon is running.
 * @param isDaemon whether this process holds the daemon lock
 * @param tag authenticates the backup
 */
export const createSafeguard = (
  { databasePath: path, backupFolder: folder, masterKeyPath }: SafeguardedPaths,
  now: () => number,
  isDaemon: boolean,
  tag: (path: string, createdAt: number) => void,
): Safeguard => ({
  assertNoDataLoss() {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) assertNotInUse(path);
    if (size !== undefined && size > 0) return;
    const newest = newestBackup(folder);
    if (newest === undefined && (size === undefined || !existsSync(masterKeyPath))) return;
    const remains =
      newest === undefined ? "the master key of its data exists" : "there are backups of it";
    const state = size === undefined ? `There is no ${path}` : `${path} is empty`;
    const steps = [
      ...(size === undefined ? [] : ["delete the empty file"]),
      ...(newest === undefined ? [] : [`move ${folder} away`]),
    ];
    throw new AppError("state_refuses", `${state}, but ${remains}.`, {
      fix: `put the file back, or deskbell restore ${newest === undefined ? "FILE" : shellQuote(newest)}; or ${steps.join(" and ")} to start from scratch`,
    });
  },
  backUp(schema) {
    const to = unusedPath(folder, schema, now());
    try {
      // A recursive mkdir would report a failed disk as a missing folder.
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
      copyCommitted(path, to, (draft) => tag(draft, now()));
      return to;
    } catch (error) {
      rmSync(`${to}.draft`, { force: true });
      throw backupError(error, path, folder);
    }
  },
  lockOutDaemons() {
    if (isDaemon) return { release: () => {} };
    try {
      return acquireDaemonLock(path);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        "state_refuses",
        `${path} must be migrated, but a daemon of an older deskbell is running on it.`,
        {
          fix: "stop that daemon; the next command or daemon then migrates the file and keeps a backup",
        },
      );
    }
  },
});

/** Returns the newest backup that is intact; without one, the newest. */
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

/** Two migrations in the same second get different names. */
function unusedPath(folder: string, schema: number, now: number): string {
  const path = join(folder, backupNameBefore(schema, now));
  return existsSync(path) ? unusedPath(folder, schema, now + 1000) : path;
}

/** Uses another connection: SQLite cannot copy a database inside the migration's transaction. */
function copyCommitted(path: string, to: string, tag: (draft: string) => void): void {
  const draft = `${to}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  const source = new Database(path, { readonly: true });
  try {
    source.prepare("VACUUM INTO ?").run(draft);
    namePath(draft, () => fsyncSync(file));
  } finally {
    source.close();
    closeSync(file);
  }
  checkDatabase(draft);
  tag(draft);
  renameSync(draft, to);
  syncFolder(dirname(to));
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
