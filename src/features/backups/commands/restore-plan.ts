import type { RestorePlan, RestoreTrust } from "../restore/restore.ts";
import { listAccessKinds } from "../store/access.ts";
import { countOf, safe } from "../../../domain/text.ts";
import type { AccessChange } from "../store/access.ts";
import type { Cli } from "../../../cli/cli.ts";
import { isoTime, shortTime } from "../../../cli/output/table.ts";

// A person who confirms a restore must first see the access and guests that the restore brings
// back.

/**
 * Returns the plan in the form of the JSON output. `erasuresKnownUntil` is null if no signed list
 * came with the backup; `erasureGap` is null if no erased guest can come back.
 */
export const planToOutput = ({
  isAuthentic,
  access,
  revoked,
  audit,
  erasures,
  unreadable,
}: RestorePlan) => ({
  isAuthentic,
  access,
  revoked,
  audit,
  unreadable: countsOf(unreadable),
  erasuresKnownUntil: isoTime(erasures.knownUntil),
  movedBusinesses: erasures.returning.map(({ id, slug, movedAt }) => ({
    id,
    slug,
    movedAt: isoTime(movedAt),
  })),
  erasureGap: erasures.gap && { since: isoTime(erasures.gap.since) },
});

const countsOf = ({ secrets, guests, keys }: RestorePlan["unreadable"]) => ({
  secrets,
  guests,
  keys,
});

const MAX_LISTED = 50;

/**
 * Returns whether a restore adds access. A key that exists and only gets a higher limit does not
 * count.
 */
export const isAdded = ({ change }: AccessChange): boolean => change !== "limits raised";

/** Prints what a restore adds, brings back, revokes and erases. */
export function describePlan(cli: Cli, plan: RestorePlan, trust: RestoreTrust): void {
  const { keepAdded, keepMoved } = trust;
  const { isAuthentic, access, revoked, audit, erasures, replaces, unreadable } = plan;
  if (unreadable.warning !== null) cli.note(unreadable.warning);
  if (isAuthentic && !replaces) cli.note(`The file has ${countKinds(access)}.`);
  else {
    const disablesAdded = !isAuthentic && keepAdded !== true;
    const added = access.filter(isAdded);
    const disabled = disablesAdded ? ", and disabled by the restore" : "";
    listAccess(cli, `Added or brought back by the file${disabled}`, added);
    listRaisedLimits(cli, access, disablesAdded);
  }
  const revokedAgain = revoked.map((row) => ({
    ...row,
    change:
      row.change === "secret ended"
        ? `its old secret ends again: deskbell keys rotate ${row.id}`
        : "revoked again",
  }));
  listAccess(cli, "Revoked since the file was made", revokedAgain);
  noteAudit(cli, audit);
  for (const { slug, movedAt } of erasures.returning)
    cli.note(
      keepMoved
        ? `The business ${safe(slug)} comes back, although it moved to another server on ${shortTime(isoTime(movedAt))}: delete it on one of them.`
        : `The business ${safe(slug)} moved to another server on ${shortTime(isoTime(movedAt))}: the restore deletes it from the data (--keep-moved keeps it).`,
    );
  const { gap, knownUntil, visitIds } = erasures;
  if (gap !== null)
    cli.note(
      `Guests who were erased after ${isoTime(gap.since) ?? "the file was made"} come back: no list of erased guests is newer.`,
    );
  else if (knownUntil !== null && visitIds.length > 0)
    cli.note(`Guests who were erased until ${isoTime(knownUntil)} are erased again.`);
}

const countKinds = (access: readonly Listed[]): string =>
  listAccessKinds()
    .map((kind) => countOf(access.filter((change) => change.kind === kind).length, kind))
    .join(", ");

type Listed = Pick<AccessChange, "kind" | "id" | "name" | "business"> & { change: string };

function listAccess(cli: Cli, heading: string, access: readonly Listed[]): void {
  if (access.length === 0) return;
  cli.note(`${heading}: ${countKinds(access)}:`);
  for (const { kind, id, name, business, change } of access.slice(0, MAX_LISTED))
    cli.note(`  ${kind} ${id} '${safe(name)}' (${safe(business ?? "all businesses")}): ${change}`);
  if (access.length > MAX_LISTED) cli.note(`  and ${access.length - MAX_LISTED} more (--json)`);
}

/** Names each limit as the option that sets it. */
const LIMIT_FLAGS = {
  limitMinute: "--limit-minute",
  limitHour: "--limit-hour",
  maxEndpoints: "--max-endpoints",
  maxHolds: "--max-holds",
  maxBookingsDay: "--max-bookings-day",
};

function listRaisedLimits(cli: Cli, access: readonly AccessChange[], disablesAdded: boolean): void {
  const keys = access.filter(({ raised }) => raised !== undefined);
  if (keys.length === 0) return;
  cli.note(
    `Limits that the file raises${disablesAdded ? ", and the restore leaves as they are" : ""}: ${countOf(keys.length, "key")}:`,
  );
  for (const { id, name, business, raised } of keys.slice(0, MAX_LISTED)) {
    const limits = Object.entries(raised ?? {}).map(
      ([limit, { from, to }]) =>
        `${LIMIT_FLAGS[limit as keyof typeof LIMIT_FLAGS]} ${from} -> ${to}`,
    );
    cli.note(
      `  key ${id} '${safe(name)}' (${safe(business ?? "all businesses")}): ${limits.join(", ")}`,
    );
  }
  if (keys.length > MAX_LISTED) cli.note(`  and ${keys.length - MAX_LISTED} more (--json)`);
}

function noteAudit(cli: Cli, { altered, added }: RestorePlan["audit"]): void {
  if (altered.length > 0)
    cli.note(
      `The audit log of the file differs in ${countOf(altered.length, "entry")}, of which the restore keeps this server's: ${altered.slice(0, MAX_LISTED).join(", ")}`,
    );
  if (added.length > 0)
    cli.note(
      `The audit log of the file has ${countOf(added.length, "entry")} that this server does not have: ${added
        .slice(0, MAX_LISTED)
        .map((id) => safe(id))
        .join(", ")}`,
    );
}
