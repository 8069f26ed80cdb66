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
import { checkDatabase, syncFolder } from "./backup.ts";
import { backupNameBefore, readBackupTime } from "./backup-names.ts";
import { acquireDaemonLock, isStorageFull } from "./database.ts";
import type { Safeguard } from "./migrate.ts";

/** Before a database is migrated, a backup that was read back and found sound lies with the others, and no daemon runs. */
export const createSafeguard = (path: string, folder: string, now: () => number): Safeguard => ({
  assertNoDataLoss() {
    if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
    const newest = newestBackup(folder);
    if (newest === undefined) return;
    throw new AppError(
      "state_refuses",
      `${path} is empty, and there are backups of what was in it.`,
      {
        fix: `deskbell restore ${newest}; or, to begin anew, remove the empty file`,
      },
    );
  },
  backUp(schema) {
    const to = freeName(folder, schema, now());
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      copyCommitted(path, to);
      return to;
    } catch (error) {
      rmSync(`${to}.draft`, { force: true });
      throw explainFailure(error, path, folder);
    }
  },
  lockOutDaemons() {
    try {
      return acquireDaemonLock(path);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(
        "state_refuses",
        `${path} must be migrated, and a daemon of an older deskbell runs on it.`,
        {
          fix: "stop that daemon; the next command, or the new daemon, migrates the file and keeps a backup",
        },
      );
    }
  },
});

function newestBackup(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const made = readdirSync(folder).map((name) => ({ name, at: readBackupTime(name) ?? -1 }));
  const [newest] = made.filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at);
  return newest && join(folder, newest.name);
}

/** Two migrations of a second have a name each. */
function freeName(folder: string, schema: number, now: number): string {
  const path = join(folder, backupNameBefore(schema, now));
  return existsSync(path) ? freeName(folder, schema, now + 1000) : path;
}

/** By way of another connection: the one that migrates has a transaction open, in which no file can be copied. */
function copyCommitted(path: string, to: string): void {
  const draft = `${to}.draft`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  const source = new Database(path, { readonly: true });
  try {
    source.prepare("VACUUM INTO ?").run(draft);
    fsyncSync(file);
  } finally {
    source.close();
    closeSync(file);
  }
  checkDatabase(draft);
  renameSync(draft, to);
  syncFolder(dirname(to));
}

function explainFailure(error: unknown, path: string, folder: string): unknown {
  if (isStorageFull(error) || (error as { code?: string }).code === "ENOSPC")
    return new AppError(
      "storage_full",
      `There is no room in ${folder} for the backup that is taken before a migration; ${path} is as it was.`,
      { fix: "free as much space as that file takes, and try again" },
    );
  if (!(error instanceof AppError)) return error;
  return new AppError(
    "state_refuses",
    `${path} is not migrated, for no sound backup comes of it: ${error.message}`,
    {
      fix: "restore an earlier backup: deskbell backup list",
    },
  );
}
