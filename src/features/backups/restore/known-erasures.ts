import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { FoundTag } from "../tag.ts";
import type { Config } from "../../../config.ts";
import { readBackupTime, readErasedVisits, readServerId } from "../store/files.ts";
import { hasGuestData, readServerFacts } from "../store/read-backup.ts";
import { readBusinesses } from "../../../store/database/read-only-database.ts";
import {
  erasureListPath,
  type MovedBusiness,
  movedLine,
  parseErasures,
  readErasureCopy,
  readErasureList,
} from "../erasure-list.ts";
import { readBackupTag } from "../authenticity.ts";
import { listBackupsIn } from "../backups.ts";

/** The time `movedAt` is in epoch ms. */
export type ReturningBusiness = { id: string; slug: string; movedAt: number };

/** The guests, businesses and access that a restore of a backup must not bring back. */
export type KnownErasures = {
  /** The visits of guests that must be erased again. */
  visitIds: string[];
  /** The IDs of keys, and of access of features, that must be revoked again. */
  revoked: string[];
  /**
   * The businesses that are known to have moved to another server, whether the backup has them or
   * not.
   */
  moved: MovedBusiness[];
  /** The businesses of the backup that have left its server since it was made. */
  returning: ReturningBusiness[];
  /**
   * The time (epoch ms) until which a list that came with the backup is complete; null if no such
   * list is newer than the backup.
   */
  knownUntil: number | null;
  /**
   * Set if no list is newer than the backup, so that guests erased after `since` come back. `since`
   * is null if nobody knows when the backup was made.
   */
  gap: { since: number | null } | null;
};

/**
 * Collects the erased guests of this server's audit log, and the entries of all known lists: the
 * list of this server, the list in the tag of the backup, and, in the folder of the backup, the
 * copied list and the lists of newer backups.
 * @param found the tag of the backup
 * @param options `isTakeover`: whether the backup is of another server, so that the list of this
 * machine does not count as newer than the backup
 */
export function findErasures(
  config: Config,
  file: string,
  found: FoundTag,
  { isTakeover }: { isTakeover: boolean },
): KnownErasures {
  const tag = found.kind === "authentic" ? found.tag : undefined;
  const madeAt = tag?.createdAt ?? readBackupTime(basename(file)) ?? null;
  const { server } = readServerFacts(file);
  const { databasePath } = config;
  const lines = new Set([
    ...readErasureList(config),
    ...(tag?.erased ?? []),
    // The list of this machine may have been lost.
    ...(existsSync(databasePath) ? readErasedVisits(databasePath) : []),
  ]);
  /** Each list that is newer than the backup adds the time until which it is complete. */
  const listTimes: number[] = [];
  const add = (added: readonly string[], completeUntil: number) => {
    for (const line of added) lines.add(line);
    if (madeAt !== null && completeUntil >= madeAt) listTimes.push(completeUntil);
  };
  const copy = readErasureCopy(config, dirname(file));
  if (copy.facts?.server === server) add(copy.lines, copy.facts.asOf);
  // An operator who restores a backup without an authentic tag trusts the backup, and so also the
  // erased guests in the list next to it. The other lines of this list, and its time, do not count,
  // because anybody can have written them.
  else if (tag === undefined) add(parseErasures(copy.lines).visitIds, -Infinity);
  for (const { path } of listBackupsIn(dirname(file))) {
    const other = readBackupTag(config, path);
    if (other.kind !== "authentic" || other.tag.server !== server) continue;
    if (other.tag.createdAt > (madeAt ?? Infinity)) add(other.tag.erased, other.tag.createdAt);
  }
  // No erased guest comes back if a newer list came with the backup, if this machine has the list
  // of the server itself, or if the backup has no guest data.
  const isSafe =
    listTimes.length > 0 ||
    (!isTakeover && isOwnBackup(config, file, server)) ||
    !hasGuestData(file);
  const { visitIds, moved, revoked } = parseErasures([...lines]);
  return {
    visitIds,
    revoked,
    moved,
    returning: listReturning(file, server, moved, {
      madeAt: madeAt ?? -Infinity,
      known: tag?.erased,
    }),
    knownUntil: listTimes.length > 0 ? Math.max(...listTimes) : null,
    gap: isSafe ? null : { since: madeAt },
  };
}

/**
 * Lists the businesses of a backup that left the server of the backup after the backup was made. A
 * business that left earlier, but is in the backup, had come back on purpose. A business that left
 * another server may have moved to the server of the backup.
 * @param backup `known`: the lines in the tag of the backup; undefined if the tag is not authentic
 */
function listReturning(
  file: string,
  server: string,
  moved: readonly MovedBusiness[],
  { madeAt, known }: { madeAt: number; known: readonly string[] | undefined },
): ReturningBusiness[] {
  if (moved.length === 0) return [];
  const knownLines = known && new Set(known);
  // A move that the tag does not list came after the backup, whatever the clock said. The tag can
  // list a move that the data do not have yet, because the tag is written after the data are copied.
  const isSince = (move: MovedBusiness): boolean =>
    move.movedAt >= madeAt || knownLines?.has(movedLine(move)) === false;
  const left = new Map(
    moved
      // An old version gave its servers no ID. A backup of such a server counts as made by the
      // server that the business left.
      .filter((move) => isSince(move) && (move.server === server || server === ""))
      .map(({ id, movedAt }) => [id, movedAt]),
  );
  return readBusinesses(file).flatMap(({ id, slug }) => {
    const movedAt = left.get(id);
    return movedAt === undefined ? [] : [{ id, slug, movedAt }];
  });
}

/**
 * Returns whether the list of this machine is that of the server that made the backup. Backups that
 * an operator has copied to the backup folder of a new machine come without the list. If the database
 * is damaged, its machine is not new.
 */
function isOwnBackup(config: Config, file: string, server: string): boolean {
  const { backupFolder, databasePath } = config;
  const hasData = existsSync(databasePath);
  const liveServer = hasData ? readServerId(databasePath) : undefined;
  const isDamaged = hasData && liveServer === undefined;
  const isInFolder = dirname(resolve(file)) === resolve(backupFolder);
  if (isInFolder && (isDamaged || existsSync(erasureListPath(config)))) return true;
  return server !== "" && liveServer === server;
}
