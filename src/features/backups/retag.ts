import { existsSync } from "node:fs";
import { readTag, replaceTag } from "./tag.ts";
import type { OnKeyRotation } from "../../app/feature-hooks.ts";
import { countOf } from "../../domain/text.ts";
import { errorInWords, AppError } from "../../domain/errors.ts";
import { readMasterKeys } from "../../platform/secret-box.ts";
import { copyErasureList } from "./erasure-list.ts";
import type { Runtime } from "../../app/runtime.ts";
import { addChecksum, findChecksum } from "./checksums.ts";
import { readOwner } from "./copies/backup-dir.ts";
import { readBackupState } from "./state.ts";
import { listBackupsIn } from "./backups.ts";
import { assertNotTakenOver } from "./restore/epochs.ts";

/**
 * Authenticates the backups with a new master key, and lists those that need an earlier key.
 */
export const retagAfterRotation: OnKeyRotation = (rt) => {
  const backups = rt.isDryRun() ? { retagged: 0, rest: [], unsigned: [] } : retagBackups(rt);
  const { retagged, rest, unsigned } = backups;
  const notes: string[] = [];
  if (retagged > 0) notes.push(`Authenticated ${countOf(retagged, "backup")} with the new key.`);
  if (rest.length > 0)
    notes.push(
      `Only the old key authenticates these, so restore them with --untrusted: ${rest.join(", ")}.`,
    );
  if (unsigned.length > 0)
    notes.push(
      `The old key still signs the copies of the list of erased guests in these folders, so no restore uses them until the next backup signs them again: ${unsigned.join(", ")}.`,
    );
  return { fields: { backups }, notes };
};

/**
 * `rest` names the files and folders that keep the tag of the old key, and `unsigned` the folders
 * whose copy of the list of erased guests keeps its signature, each with the reason.
 */
type RetaggedBackups = { retagged: number; rest: string[]; unsigned: string[] };

/**
 * Authenticates with the newest master key the backups that an older key has authenticated. Call it
 * while the key file still has the older keys.
 */
function retagBackups(rt: Runtime): RetaggedBackups {
  const [newest, ...older] = readMasterKeys(rt.config.masterKeyPath);
  const result: RetaggedBackups = { retagged: 0, rest: listUnreachable(rt), unsigned: [] };
  if (newest === undefined) return result;
  for (const folder of listBackupFolders(rt))
    try {
      if (!existsSync(folder)) {
        result.rest.push(`${folder} (there is no such folder: is its disk mounted?)`);
        continue;
      }
      if (folder !== rt.config.backupFolder) assertOwnFolder(rt, folder);
      for (const { path } of listBackupsIn(folder)) {
        const found = readTag(path, older);
        if (found.kind !== "authentic") continue;
        const checksum = replaceTag(path, found.tag, newest);
        if (checksum === undefined) {
          result.rest.push(`${path} (damaged: its content is not what its tag says)`);
          continue;
        }
        if (findChecksum(path) !== undefined) addChecksum(path, checksum);
        result.retagged += 1;
      }
      if (listBackupsIn(folder).length > 0) signErasureList(rt, folder, result.unsigned);
    } catch (error) {
      result.rest.push(`${folder} (${errorInWords(error)})`);
    }
  return result;
}

/**
 * Signs the copy of the list of erased guests with the newest key, because the older key has signed
 * it, too. Adds the folder to `unsigned` if that fails: its backups have their new tags already.
 */
function signErasureList(
  { config, store, now }: Runtime,
  folder: string,
  unsigned: string[],
): void {
  try {
    copyErasureList(config, folder, { server: store.file.getServerId(), asOf: now() });
  } catch (error) {
    unsigned.push(`${folder} (${errorInWords(error)})`);
  }
}

/**
 * Checks that a folder is not that of another server, which has other keys and has erased other
 * guests.
 * @throws AppError state_refuses if another server uses the folder, or has taken over with a copy
 * in it
 */
function assertOwnFolder({ config, store }: Runtime, folder: string): void {
  assertNotTakenOver(config, folder);
  const owner = readOwner(folder);
  if (owner !== undefined && owner !== store.file.getServerId())
    throw new AppError("state_refuses", "it has the backups of another server");
}

/**
 * Lists the backup folder if it exists, and --backup-dir, whose disk may not be mounted. If no
 * --backup-dir is set, the folder of the last copy is listed instead.
 */
export function listBackupFolders({ config }: Runtime): string[] {
  const { backupFolder } = config;
  const dir = config.backups.dir ?? readBackupState(config, "copy")?.dir ?? null;
  return [...(existsSync(backupFolder) ? [backupFolder] : []), ...(dir === null ? [] : [dir])];
}

/** Names the copies that keep the old tag because this server cannot reach them. */
function listUnreachable({ config }: Runtime): string[] {
  const isSet = config.backups.command !== null;
  const hasCommand = readBackupState(config, "copy")?.hasCommand ?? isSet;
  return hasCommand ? ["the copies that --backup-command has uploaded"] : [];
}
