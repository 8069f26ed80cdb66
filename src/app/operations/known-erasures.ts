import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { FoundTag } from "../../backup-tag.ts";
import type { Config } from "../../config.ts";
import { readBackupTime, readServerId } from "../../store/backup.ts";
import { hasGuestData, readServerFacts } from "../../store/read-only-database.ts";
import { readErasureCopy, readErasureList } from "../guests/erasure-list.ts";
import { readBackupTag } from "./backup-authenticity.ts";
import { listBackupsIn } from "./backups.ts";

/** The guests that a restore of a backup must erase again. */
export type KnownErasures = {
  visitIds: string[];
  /** The time until which the list that came with the backup is complete, if any; epoch ms. */
  knownUntil: number | null;
  /**
   * Set if no list is newer than the backup: guests erased after `since` come back. `since` is null
   * if nobody knows when the backup was made.
   */
  gap: { since: number | null } | null;
};

/**
 * Collects the lists of this server, of the backup, of its folder, and of newer backups there.
 * @param found the tag of the backup
 * @param isTakeover then the list of this machine is that of an earlier time
 */
export function findErasures(
  config: Config,
  file: string,
  found: FoundTag,
  isTakeover: boolean,
): KnownErasures {
  const tag = found.kind === "authentic" ? found.tag : undefined;
  const madeAt = tag?.createdAt ?? readBackupTime(basename(file)) ?? null;
  const { server } = readServerFacts(file);
  const visitIds = new Set([...readErasureList(config), ...(tag?.erased ?? [])]);
  const knownUntil: number[] = [];
  const add = (ids: readonly string[], asOf: number) => {
    for (const id of ids) visitIds.add(id);
    if (madeAt !== null && asOf >= madeAt) knownUntil.push(asOf);
  };
  const copy = readErasureCopy(config, dirname(file));
  if (copy.facts?.server === server) add(copy.ids, copy.facts.asOf);
  // The operator vouches for what came with a backup without a tag.
  else if (tag === undefined) add(copy.ids, -Infinity);
  for (const other of listBackupsIn(dirname(file))) {
    const newer = readBackupTag(config, other.path);
    if (newer.kind !== "authentic" || newer.tag.server !== server) continue;
    if (newer.tag.createdAt > (madeAt ?? Infinity)) add(newer.tag.erased, newer.tag.createdAt);
  }
  const isKnown =
    knownUntil.length > 0 ||
    (!isTakeover && isOwnBackup(config, file, server)) ||
    !hasGuestData(file);
  return {
    visitIds: [...visitIds],
    knownUntil: knownUntil.length > 0 ? Math.max(...knownUntil) : null,
    gap: isKnown ? null : { since: madeAt },
  };
}

/** Whether the list of this machine is that of the server that made the backup. */
function isOwnBackup(
  { backupFolder, databasePath }: Config,
  file: string,
  server: string,
): boolean {
  if (dirname(resolve(file)) === resolve(backupFolder)) return true;
  return existsSync(databasePath) && server !== "" && readServerId(databasePath) === server;
}
