import { basename } from "node:path";
import { isNightly } from "../../store/backup.ts";
import { listBackups, KEPT_DAYS } from "../operations/backups.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the backups that still contain erased guests: the date (UTC) on which the last nightly one
 * is deleted, or null if there is none, and the paths of those that are not deleted automatically.
 */
export function findBackupsWithGuests(rt: Runtime): {
  nightlyUntil: string | null;
  others: string[];
} {
  const paths = listBackups(rt.config).map(({ path }) => path);
  const others = paths.filter((path) => !isNightly(basename(path)));
  const until = new Date(rt.now() + KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  return { nightlyUntil: others.length === paths.length ? null : until, others };
}
