import { listAuditActions } from "../../domain/audit.ts";
import { businessId } from "../../domain/catalog/object-id.ts";
import type { AuditRow } from "../../store/audit.ts";
import { askOtherVisits } from "../../app/bookings/other-visits.ts";
import type { Runtime } from "../../app/runtime.ts";
import { safe } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { findVisitId, unknownVisitError } from "../objects/any-visit.ts";
import { choice, pageFlags, pastTime, text } from "../flags.ts";
import { isoTime, shortTime, withIsoTimes } from "../output/table.ts";

const list = command({
  name: "list",
  about:
    "List who changed keys, endpoints, catalogs and visits, and who exported guest data, newest first. Entries are kept for 400 days.",
  flags: {
    since: pastTime("only entries since a date or time (UTC), or of the last 2h, 3d, …"),
    until: pastTime("only entries before a date or time (UTC), or older than 2h, 3d, …"),
    actor: text("actor", "only changes by this user, API key (ID or name) or 'daemon'"),
    visit: text("id", "only what was done to this booking, reservation or ticket order"),
    action: choice(listAuditActions(), "only this kind of change"),
    ...pageFlags,
  },
  examples: [
    "audit list --since 7d",
    "audit list --visit bkg_06f…",
    "audit list --action key.revoked --since 2026-11-01 --until 2026-12-01 --json",
  ],
  async run(cli, { since, until, limit, ...given }) {
    const rt = await cli.open();
    const { business } = cli.flags;
    const visit = given.visit === undefined ? undefined : resolveVisit(rt, given.visit);
    const filter = {
      ...given,
      visit,
      // The ID is derived from the slug, so that the entries of a deleted business can be listed.
      businessId: business === undefined ? undefined : businessId(business),
      since: since?.(rt.now()),
      until: until?.(rt.now()),
    };
    if (visit !== undefined) assertVisitKnown(rt, visit);
    cli.printPage<Entry>(
      limit,
      (maximum) => rt.store.audit.list(filter, maximum).map(toOutput),
      [
        { title: "TIME", value: ({ at }) => shortTime(at), noTruncate: true },
        { title: "ACTOR", value: nameOfActor },
        "action",
        { title: "SUBJECT", value: ({ subject }) => subject.name },
        { title: "ADDRESS", value: "address", optional: true },
        { title: "SUBJECT ID", value: ({ subject }) => subject.id, optional: true },
        { title: "ACTOR ID", value: ({ actor }) => actor.id, optional: true },
        { title: "BUSINESS", value: "businessId", optional: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ],
      "No entries in the audit log.",
    );
    if (visit !== undefined && !cli.flags.json) noteCreator(cli, rt, visit);
  },
});

/** Returns the given text if no visit has it as its ID, short ID or code. */
function resolveVisit(rt: Runtime, given: string): string {
  const found = rt.store.businesses
    .list()
    .values()
    .map((business) => findVisitId(rt, business, given))
    .find((id) => id !== undefined);
  return found ?? given;
}

function findVisit(rt: Runtime, id: string) {
  const { store } = rt;
  for (const { id: businessId } of store.businesses.listIds()) {
    const row =
      store.bookings.findById(businessId, id) ??
      store.reservations.findById(businessId, id) ??
      askOtherVisits((kind) => kind.find(rt, businessId, id));
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * Throws unless a visit or an audit entry has this ID. The audit entries of a visit remain when its
 * business is deleted.
 */
function assertVisitKnown(rt: Runtime, visit: string): void {
  if (findVisit(rt, visit) !== undefined || rt.store.audit.list({ visit }, 1).length > 0) return;
  throw unknownVisitError(rt, visit);
}

/**
 * Prints who created a visit, because a visit that was created with an API key has no audit entry.
 */
function noteCreator(cli: Cli, rt: Runtime, id: string): void {
  const row = findVisit(rt, id);
  if (row === undefined) return;
  const { createdByKey, createdAt, status } = row;
  const key = createdByKey === null ? undefined : rt.store.keys.findById(createdByKey);
  const who =
    createdByKey === null ? "the operator" : `the key ${key?.name ?? ""} (${createdByKey})`;
  const by = "cancelledBy" in row && row.cancelledBy === "SYSTEM" ? " by the system" : "";
  cli.note(
    `${id} was created at ${isoTime(createdAt)} by ${safe(who)}; its status is ${status}${by}.`,
  );
}

const toOutput = ({ actorId, actorName, subjectId, subjectName, ...row }: AuditRow) => ({
  ...withIsoTimes(row, "at"),
  actor: { id: actorId, name: actorName },
  subject: { id: subjectId, name: subjectName },
});

type Entry = ReturnType<typeof toOutput>;

export const nameOfActor = ({ via, actor: { id, name } }: Pick<Entry, "via" | "actor">): string =>
  via === "http" && id.startsWith("key_") ? `key ${name ?? id}` : (name ?? id);

export const definition = [list];
