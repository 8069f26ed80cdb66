import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { replaceDurably } from "../../platform/durable-file.ts";

/** The results of the last runs of each kind. Times are epoch milliseconds. */
export type BackupState = {
  failure: { at: number; reason: string; isDamaged?: boolean };
  /** The newest backup that was copied to --backup-dir or passed to --backup-command. */
  copy: {
    at: number;
    name: string;
    /** When the backup was made. */
    createdAt: number;
    /** The --backup-dir; null if there was none. */
    dir: string | null;
    /** The --backup-dir and --backup-command, as a hash. */
    place?: string;
    /** Whether it was on another disk than the data. */
    isOtherDisk: boolean;
    /** Whether it was passed to --backup-command. */
    hasCommand: boolean;
  };
  /** The size of the list of erased guests when it was last copied to the --backup-dir `dir`. */
  "erasure-list": { dir: string; bytes: number };
  "copy-failure": {
    at: number;
    /** The first failure after the last copy. */
    since: number;
    /** Failures since then. */
    tries?: number;
    place?: string;
    /** The backup; null if the folder was only checked. */
    name: string | null;
    reason: string;
    /** Whether guests were erased whom a restore of the newest copy would not erase again. */
    isErasureListLate: boolean;
  };
  /** `error`: why the backup could not be restored; null if it could. */
  drill: { at: number; name: string; error: string | null; businesses: number; secrets: number };
  /** A round of reading the stored events and backups; `finishedAt` is null until it ends. */
  scrub: {
    startedAt: number;
    finishedAt: number | null;
    /** The last event that was read, and the paths of the backups that were. */
    afterEvent: string;
    verified: string[];
    /** IDs of events that differ from their SHA-256: the first ones. */
    altered: string[];
    damaged: { path: string; reason: string }[];
  };
  "key-copy": { at: number; fingerprint: string };
};

/** A file for each: a database that cannot be copied may not be writable either. */
const pathOf = ({ backupFolder }: Config, kind: keyof BackupState): string =>
  join(backupFolder, `last-${kind}.json`);

/** Returns null if there is no result. */
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
