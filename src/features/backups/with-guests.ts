import type { FindErasedGuests } from "../../app/feature-hooks.ts";
import { basename } from "node:path";
import { isRegularBackup } from "./store/files.ts";
import { listBackups, KEPT_DAYS } from "./backups.ts";
import { listReplacedData } from "./restore/replaced-data.ts";
import type { Runtime } from "../../app/runtime.ts";

const DAY_MS = 86_400_000;

const findBackupsWithGuests: FindErasedGuests = (rt) => {
  const backups = findBackups(rt);
  const { nightlyUntil, others, replaced } = backups;
  const notes = replaced.map(
    ({ path, deletedOn }) =>
      `${path}, which a restore replaced, still has the data until ${deletedOn}.`,
  );
  if (nightlyUntil !== null || others.length > 0)
    notes.push(
      "Backups, and copies made elsewhere, still contain the data, encrypted. Restoring one on this server erases it again.",
    );
  if (nightlyUntil !== null)
    notes.push(
      `The last nightly one is deleted on ${nightlyUntil}, or later if some nights have no backup.`,
    );
  if (others.length > 0) notes.push(`Delete these yourself: ${others.join(", ")}`);
  return { fields: { backups }, notes };
};

/** When guests are erased, each of these functions tells where their data remain. */
export const erasedGuests: readonly FindErasedGuests[] = [findBackupsWithGuests];

/**
 * Returns where guests who are erased now may remain: the first date (UTC) on which the last nightly
 * backup may be deleted, or null if there is none; the paths of the backups that are not deleted
 * automatically; and the data that restores have replaced.
 */
function findBackups(rt: Runtime): {
  nightlyUntil: string | null;
  others: string[];
  replaced: { path: string; deletedOn: string }[];
} {
  const paths = listBackups(rt.config).map(({ path }) => path);
  const others = paths.filter((path) => !isRegularBackup(basename(path)));
  const until = new Date(rt.now() + KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
  const replaced = listReplacedData(rt.config).map(({ path, deletedAt }) => ({
    path,
    deletedOn: new Date(deletedAt).toISOString().slice(0, 10),
  }));
  return { nightlyUntil: others.length === paths.length ? null : until, others, replaced };
}
