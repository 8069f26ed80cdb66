import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { replaceDurably } from "../../platform/durable-file.ts";

/** `at`: when --backup-command ended. `reason`: why it failed; null if it succeeded. */
export type CommandResult = { at: number; reason: string | null };

/** The results of the last runs of each kind. Times are epoch milliseconds. */
export type BackupState = {
  /** The last failed backup; `isDamaged` tells that the database is damaged. */
  failure: { at: number; reason: string; isDamaged?: boolean };
  /** The newest backup that was copied to --backup-dir or passed to --backup-command. */
  copy: {
    at: number;
    name: string;
    /** The time at which the backup was made. */
    createdAt: number;
    /** The --backup-dir; null if there was none. */
    dir: string | null;
    /** The hash of --backup-dir and --backup-command. */
    place?: string;
    /** Whether the folder was on another disk than the data. */
    isOtherDisk: boolean;
    /** Whether the backup was passed to --backup-command. */
    hasCommand: boolean;
  };
  /** The size of the list of erased guests when it was last copied to the --backup-dir `dir`. */
  "erasure-list": { dir: string; bytes: number };
  "copy-failure": {
    at: number;
    /** The time of the first failure after the last copy. */
    since: number;
    /** The number of failures since the last copy. */
    tries?: number;
    place?: string;
    /** The name of the backup; null if only the folder was checked. */
    name: string | null;
    reason: string;
    /** Whether the list of erased guests next to the newest copy lacks some of them. */
    isErasureListLate: boolean;
    /** Whether one of --backup-dir and --backup-command has got the backup, and the other not. */
    isPartial?: boolean;
    /** The result of --backup-command for this backup; absent if it has not run. */
    command?: CommandResult | undefined;
    /** Set if --backup-command has not run because the daemon stopped. */
    isCommandDue?: boolean;
  };
  /** `error` is the reason why the backup could not be restored; null if it was. */
  drill: { at: number; name: string; error: string | null; businesses: number; secrets: number };
  /**
   * A round in which the stored events and backups are read; `finishedAt` is null until it ends.
   */
  scrub: {
    startedAt: number;
    finishedAt: number | null;
    /** The ID of the last event that was read; "" before the first one. */
    afterEvent: string;
    /** The paths of the backups that were read. */
    verified: string[];
    /** The IDs of the first events that were found to differ from their SHA-256. */
    altered: string[];
    damaged: { path: string; reason: string }[];
  };
  /** The last copy of the master key that deskbell knows. */
  "key-copy": { at: number; fingerprint: string };
};

/**
 * Each result has a file of its own: a database that cannot be copied may not be writable either.
 */
const pathOf = ({ backupFolder }: Config, kind: keyof BackupState): string =>
  join(backupFolder, `last-${kind}.json`);

/** Returns the last result of a kind; null if there is none, or if its file cannot be read. */
export function readBackupState<Kind extends keyof BackupState>(
  config: Config,
  kind: Kind,
): BackupState[Kind] | null {
  try {
    return JSON.parse(readFileSync(pathOf(config, kind), "utf8")) as BackupState[Kind];
  } catch {
    return null;
  }
}

export function saveBackupState<Kind extends keyof BackupState>(
  config: Config,
  kind: Kind,
  state: BackupState[Kind],
): void {
  try {
    replaceDurably(pathOf(config, kind), JSON.stringify(state));
  } catch {
    // The disk is full or read-only. The result is logged, and `status` reports old backups.
  }
}

export const forgetBackupState = (config: Config, kind: keyof BackupState): void =>
  rmSync(pathOf(config, kind), { force: true });

/**
 * Lists the folders from which another server can take over: the folder of the newest copy, and the
 * folder that last got the list of erased guests. The latter can have a newer copy, which
 * --backup-command has not received yet.
 */
export function listCopyFolders(config: Config): string[] {
  const dirs = [readBackupState(config, "copy")?.dir, readBackupState(config, "erasure-list")?.dir];
  return [...new Set(dirs.filter((dir) => typeof dir === "string"))];
}
