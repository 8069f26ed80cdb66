import { basename } from "node:path";
import { isNightly } from "../../store/backup.ts";
import { listBackups, KEPT_DAYS } from "../operations/backups.ts";
import { listReplacedData } from "../operations/replaced-data.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the backups that still contain erased guests: the date (UTC) on which the last nightly one
 * is deleted, or null if there is none, the paths of those that are not deleted automatically, and
 * the data that restores have replaced.
 */
export function findBackupsWithGuests(rt: Runtime): {
  nightlyUntil: string | null;
  others: string[];
  replaced: { path: string; deletedOn: string }[];
} {
  const paths = listBackups(rt.config).map(({ path }) => path);
  const others = paths.filter((path) => !isNightly(basename(path)));
  const until = new Date(rt.now() + KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  const replaced = listReplacedData(rt.config).map(({ path, deletedAt }) => ({
    path,
    deletedOn: new Date(deletedAt).toISOString().slice(0, 10),
  }));
  return { nightlyUntil: others.length === paths.length ? null : until, others, replaced };
}
