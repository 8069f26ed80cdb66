import { existsSync, readdirSync, rmSync } from "node:fs";
import type { Config } from "../../../config.ts";
import { errorInWords } from "../../../domain/errors.ts";
import { countOf, shellQuote, summarizeNames } from "../../../domain/text.ts";
import { readBusinesses } from "../../../store/database/read-only-database.ts";
import { type MovedBusiness, parseErasures, readErasureList } from "../erasure-list.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { authenticate } from "../authenticity.ts";
import { pruneChecksums } from "../checksums.ts";
import { readOwner } from "../copies/backup-dir.ts";
import { type Backup, listBackupsIn, verifyBackup } from "../backups.ts";
import { assertNotTakenOver } from "../restore/epochs.ts";
import type { Finding } from "../../../domain/conditions/registry.ts";
import { endOfBackups } from "../restore/replaced-data.ts";
import { listBackupFolders } from "../retag.ts";

// A backup that was made before a business moved to another server still contains the guests of
// that business. The backup is kept for a while, in case the move was a mistake.

/**
 * `slugs` names the moved businesses, and is empty if the backup is unreadable. `endsAt` is in
 * epoch ms.
 */
type BackupOfMoved = { path: string; slugs: string[]; endsAt: number };

/** Lists the businesses that have left this server, and have not come back. */
const listMoves = ({ config, store }: Runtime): MovedBusiness[] => {
  const server = store.file.getServerId();
  return parseErasures(readErasureList(config)).moved.filter(
    (move) => move.server === server && store.businesses.findById(move.id) === undefined,
  );
};

/** Returns the backups of a folder that contain moved businesses, and when each is deleted. */
function findInFolder(
  folder: string,
  moves: readonly MovedBusiness[],
  now: number,
): BackupOfMoved[] {
  return listBackupsIn(folder).flatMap(({ path, createdAt }) => {
    // A backup whose time lies in the future was made while the clock was ahead. Such a backup
    // counts as made before every move.
    const isBefore = ({ movedAt }: MovedBusiness): boolean =>
      movedAt >= createdAt || createdAt > now;
    const businesses = readBusinessesOf(path);
    // A damaged file counts as having each business that moved after the backup was made.
    const contained = moves.filter((move) => businesses?.has(move.id) ?? isBefore(move));
    if (contained.length === 0) return [];
    const slugs = new Set(contained.flatMap(({ id }) => businesses?.get(id) ?? []));
    // `moveTimes` is empty if all contained businesses had come back before the backup was made,
    // and were deleted here later. The time of the backup then replaces the time of the move.
    const moveTimes = contained.filter(isBefore).map(({ movedAt }) => movedAt);
    const endsAt = endOfBackups(moveTimes.length > 0 ? Math.min(...moveTimes) : createdAt);
    return [{ path, slugs: [...slugs], endsAt }];
  });
}

/** Returns the slug of each business by its ID; undefined for a file that is damaged. */
function readBusinessesOf(path: string): Map<string, string> | undefined {
  try {
    return new Map(readBusinesses(path).map(({ id, slug }) => [id, slug]));
  } catch {
    return undefined;
  }
}

/**
 * Lists the backup folders that belong to this server. Folders of other servers are left out, so
 * that none of their files is deleted.
 */
const listOwnFolders = (rt: Runtime): string[] =>
  listBackupFolders(rt).filter(
    (folder) => existsSync(folder) && (folder === rt.config.backupFolder || isOwn(rt, folder)),
  );

function isOwn({ store }: Runtime, folder: string): boolean {
  try {
    return readOwner(folder) === store.file.getServerId();
  } catch {
    // An unreadable folder is ignored here, because each copy of a backup to the folder reports the
    // problem.
    return false;
  }
}

/**
 * Deletes each backup with moved businesses whose `endsAt` has passed, if the same folder has a
 * newer backup that a restore accepts. Failures are logged, and not thrown.
 */
export async function deleteBackupsOfMoved(rt: Runtime): Promise<void> {
  const { config, now, log } = rt;
  try {
    const moves = listMoves(rt);
    if (!moves.some(({ movedAt }) => endOfBackups(movedAt) <= now())) return;
    for (const folder of listOwnFolders(rt)) {
      const found = findInFolder(folder, moves, now());
      const ended = found.filter(({ endsAt }) => endsAt <= now());
      if (ended.length === 0) continue;
      const withMoved = new Set(found.map(({ path }) => path));
      const lastMove = Math.max(...moves.map(({ movedAt }) => movedAt));
      const newer = listBackupsIn(folder).filter(
        ({ path, createdAt }) => createdAt > lastMove && !withMoved.has(path),
      );
      if (!(await hasGoodBackup(config, newer))) continue;
      if (folder !== config.backupFolder) assertNotTakenOver(config, folder);
      for (const { path } of ended) {
        rmSync(path, { force: true });
        log("info", "deleted a backup from before businesses moved to another server", { path });
      }
      pruneChecksums(folder, readdirSync(folder));
    }
  } catch (error) {
    const reason = errorInWords(error);
    log("warn", "Backups with businesses that have moved could not be deleted.", { reason });
  }
}

async function hasGoodBackup(config: Config, backups: readonly Backup[]): Promise<boolean> {
  for (const { path } of backups)
    try {
      await verifyBackup(path);
      if ((await authenticate(config, path)).kind === "authentic") return true;
    } catch {
      // The search continues, because an older backup may be good.
    }
  return false;
}

/** Reports each backup that still contains a moved business. */
export function checkBackupsOfMoved(rt: Runtime): Finding[] {
  const moves = listMoves(rt);
  if (moves.length === 0) return [];
  const found = listOwnFolders(rt).flatMap((folder) => findInFolder(folder, moves, rt.now()));
  return [...Map.groupBy(found, ({ endsAt }) => endsAt)].map(([endsAt, backups]) => {
    const paths = backups.map(({ path }) => path);
    const slugs = [...new Set(backups.flatMap((backup) => backup.slugs))];
    const what = slugs.length === 0 ? "businesses" : summarizeNames(slugs);
    return {
      text: `${countOf(paths.length, "backup")} from before ${what} moved to another server may still have guests who are on that server now: ${summarizeNames(paths)}; the daemon deletes the files on ${new Date(endsAt).toISOString().slice(0, 10)}, if a newer backup in the same folder is intact`,
      fix: `rm ${paths.map(shellQuote).join(" ")}, if nobody needs the data from before the move`,
      isAdvice: true,
    };
  });
}
