import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import { createDurably } from "../../../platform/durable-file.ts";
import { isRegularBackup, readBackupTime, readCounters } from "../store/files.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { forgetBackupState, readBackupState } from "../state.ts";
import { isOfPlace, recordCopyFailure } from "./copy-failures.ts";
import { readOwnEpoch } from "../own-epoch.ts";
import { assertNotTakenOver, readBackupDir } from "../restore/epochs.ts";
import { recordCounters } from "../restore/recorded-counters.ts";

// The folder of --backup-dir belongs to the server whose ID is in its file `server-id`.

/** The option that names a folder of copies. Error messages begin with the option. */
type FolderOption = "--backup-dir" | "--to";

/**
 * Checks the folder of copies, and never creates it: if its disk is not mounted, the copy would be
 * on the disk of the data.
 * @returns whether it is on another disk than the data
 * @throws AppError if the folder is missing, if it is no longer on another disk, or if another
 * server has taken over with a copy in it
 */
export function assertBackupDir(
  config: Config,
  dir: string,
  option: FolderOption = "--backup-dir",
): boolean {
  const found = readBackupDir(dir, (path) => statSync(path, { throwIfNoEntry: false }));
  if (!found?.isDirectory())
    throw new AppError("resource_not_found", `${option}: there is no folder ${dir}.`, {
      fix: "mount its disk, or create the folder",
    });
  const isOtherDisk = found.dev !== statSync(config.dataDir).dev;
  const last = readBackupState(config, "copy");
  if (!isOtherDisk && last?.dir === dir && last.isOtherDisk)
    throw new AppError(
      "state_refuses",
      `${option}: ${dir} was on another disk until now, and is on that of the data.`,
      { fix: "mount its disk again, or name another folder" },
    );
  assertNotTakenOver(config, dir);
  return isOtherDisk;
}

/** The name of the file with the ID of the server that made the copies in a folder. */
const OWNER_FILE = "server-id";

/** Returns the ID of the server whose copies a folder has; undefined if no server has used it. */
export function readOwner(dir: string): string | undefined {
  const path = join(dir, OWNER_FILE);
  return existsSync(path)
    ? readBackupDir(path, (file) => readFileSync(file, "utf8").trim())
    : undefined;
}

/**
 * Marks a folder as this server's, and records there the counters that a restore of its copies must
 * exceed. Two servers in one folder would delete each other's copies, and a takeover would restore
 * the wrong ones.
 * @throws AppError state_refuses if the folder has the copies of another server
 */
export function markFolder(
  { config, store }: Runtime,
  dir: string,
  option: FolderOption = "--backup-dir",
): void {
  const path = join(dir, OWNER_FILE);
  const id = store.file.getServerId();
  try {
    createDurably(path, `${id}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (readOwner(dir) !== id)
      throw new AppError("state_refuses", `${option}: ${dir} has the backups of another server.`, {
        fix: `give each server a folder of its own; if this one has replaced the other, rm ${shellQuote(path)}`,
      });
  }
  const counters = readCounters(config.databasePath);
  recordCounters(dir, { epoch: readOwnEpoch(config), counters });
}

/**
 * Rejects a server without businesses whose folder has the copies of another server. Such a server
 * is a standby, on which partners would find none of their data.
 * @throws AppError state_refuses
 */
export function assertNotStandby({ config, store }: Runtime, dir: string): void {
  if (store.businesses.listSlugs().length > 0 || listCopies(dir).length === 0) return;
  const owner = readOwner(dir);
  // If the last business of a server was deleted, it is no standby: the folder has the ID of this
  // server.
  if (owner === undefined || owner === store.file.getServerId()) return;
  throw standbyError(config, dir);
}

/**
 * Rejects a server without a database if the folder has copies, even copies of this server.
 * @throws AppError state_refuses
 */
export function assertNoEarlierCopies(config: Config, dir: string): void {
  const size = statSync(config.databasePath, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && listCopies(dir).length > 0) throw standbyError(config, dir);
}

const standbyError = ({ dataDir }: Config, dir: string): AppError =>
  new AppError(
    "state_refuses",
    `${dataDir} has no businesses, and ${dir} has the backups of a server that has: partners would find nothing here.`,
    {
      fix: `deskbell restore --latest ${shellQuote(dir)} --fenced, when that server is stopped; for a new server, name a folder of its own`,
    },
  );

const listCopies = (dir: string): string[] =>
  readBackupDir(dir, (path) => readdirSync(path)).filter(
    (name) => isRegularBackup(name) && readBackupTime(name) !== undefined,
  );

/** Reports at the start, and then every hour, why no backup can be copied to --backup-dir. */
export function checkBackupDir(rt: Runtime): void {
  const { dir } = rt.config.backups;
  if (dir === null) return;
  // A failed copy is tried again every hour, and each try checks the folder.
  const failure = readBackupState(rt.config, "copy-failure");
  if (isOfPlace(rt.config, failure) && failure.name !== null) return;
  try {
    assertBackupDir(rt.config, dir);
    markFolder(rt, dir);
    forgetBackupState(rt.config, "copy-failure");
  } catch (error) {
    recordCopyFailure(rt, [{ option: "--backup-dir", error }], {
      name: null,
      isErasureListLate: false,
      isPartial: rt.config.backups.command !== null,
    });
  }
}
