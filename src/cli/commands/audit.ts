import { listAuditActions } from "../../domain/audit.ts";
import { businessId } from "../../domain/catalog/object-id.ts";
import type { AuditRow } from "../../store/audit.ts";
import { askOtherVisits } from "../../app/bookings/other-visits.ts";
import type { Runtime } from "../../app/runtime.ts";
import { AppError } from "../../domain/errors.ts";
import { safe } from "../../domain/text.ts";
import { FEATURES } from "../../features/index.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { resolveVisitId } from "../objects/visit-commands.ts";
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
    const visit = given.visit === undefined ? undefined : findVisitId(rt, given.visit);
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

/**
 * Returns the ID of the visit with the given short ID, or of the ticket order with the given code;
 * any other text is returned as it is.
 */
function findVisitId(rt: Runtime, given: string): string {
  const { store } = rt;
  for (const business of store.businesses.list())
    for (const visits of [store.bookings, store.reservations]) {
      const id = resolveVisitId(visits, business, given);
      if (id !== given) return id;
    }
  return findVisit(rt, given)?.id ?? given;
}

function findVisit(rt: Runtime, idOrCode: string) {
  const { store } = rt;
  for (const { id: businessId } of store.businesses.listIds()) {
    const row =
      store.bookings.findById(businessId, idOrCode) ??
      store.reservations.findById(businessId, idOrCode) ??
      askOtherVisits((kind) => kind.find(rt, businessId, idOrCode));
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
  const ofFeatures = FEATURES.flatMap(({ visitNouns = {} }) => Object.values(visitNouns));
  const nouns = ["booking", "reservation", ...ofFeatures];
  const businessFlag = rt.store.businesses.listSlugs().length > 1 ? " --business SLUG" : "";
  const commands = nouns.map(
    (noun) => `deskbell ${noun.replaceAll(" ", "-")}s list${businessFlag}`,
  );
  throw new AppError("resource_not_found", `There is no ${oneOf(nouns)} '${safe(visit)}'.`, {
    fix: oneOf(commands),
  });
}

/** Joins names as `a, b or c`. */
const oneOf = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

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
