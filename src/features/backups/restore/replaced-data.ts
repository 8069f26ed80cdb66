import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Config } from "../../../config.ts";
import type { Runtime } from "../../../app/runtime.ts";

// A restore keeps the data that it replaces, guests included, in case the restore was a mistake.

/** Data that a restore or a move has made obsolete are kept for this time. */
const OBSOLETE_KEPT_MS = 30 * 86_400_000;

/**
 * Returns when backups with a business that moved at `movedAt` are deleted. Both times are in epoch
 * ms.
 */
export const endOfBackups = (movedAt: number): number => movedAt + OBSOLETE_KEPT_MS;

const NAME = /\.before-restore-(\d{8})T(\d{6})\d{3}Z$/;

/** Data that a restore has replaced, and the time at which they are deleted (epoch ms). */
type ReplacedData = { path: string; deletedAt: number };

/** Lists the data that restores have replaced, the oldest first. */
export function listReplacedData({ databasePath }: Pick<Config, "databasePath">): ReplacedData[] {
  const folder = dirname(databasePath);
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(databasePath)))
    .flatMap((name) => {
      const [, date, time] = NAME.exec(name) ?? [];
      if (date === undefined) return [];
      const at = Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime("UTC");
      return [{ path: join(folder, name), deletedAt: at.epochMilliseconds + OBSOLETE_KEPT_MS }];
    })
    .toSorted((a, b) => a.deletedAt - b.deletedAt);
}

/**
 * Deletes the replaced data that were kept long enough, with the other files of their database such
 * as `-wal`, and logs each path.
 */
export function deleteReplacedData({ config, now, log }: Runtime): void {
  for (const { path, deletedAt } of listReplacedData(config)) {
    if (deletedAt > now()) continue;
    for (const suffix of ["", "-wal", "-journal", "-shm"]) rmSync(path + suffix, { force: true });
    log("info", "deleted data that a restore replaced 30 days ago", { path });
  }
}
