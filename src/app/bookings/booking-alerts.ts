import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import { isDecisionLate, type Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { notify } from "../notices.ts";
import type { Runtime } from "../runtime.ts";
import { initiatorOf, type VisitAccess } from "./access.ts";
import { askOtherVisits } from "./other-visits.ts";
import { BOOKING, RESERVATION, type VisitKind } from "./visit-kinds.ts";

/** How many pending visits of each kind are checked, from the earliest deadline on. */
const MAX_PENDING = 100;

/**
 * Alerts the operator of a visit that a client or guest has made, without guest data. Call it in
 * the transaction that writes the visit.
 */
export const notifyReceived = <Row extends Visit>(
  rt: Runtime,
  business: BusinessRow,
  { madeWhere = "over the API" }: VisitAccess,
  kind: VisitKind<Row>,
  visit: Row,
): void => notifyOf(rt, business, kind, visit, (start) => `at ${start} was made ${madeWhere}`);

/**
 * Alerts the operator of a visit that a client or guest has moved, if its new time waits for a
 * decision. Call it in the transaction that writes the visit.
 */
export function notifyMoved<Row extends Visit>(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  kind: VisitKind<Row>,
  visit: Row,
): void {
  if (initiatorOf(access) !== "GUEST" || visit.status !== "PENDING") return;
  const { madeWhere = "over the API" } = access;
  notifyOf(rt, business, kind, visit, (start) => `was moved ${madeWhere} to ${start}`);
}

function notifyOf<Row extends Visit>(
  rt: Runtime,
  { slug, doc }: BusinessRow,
  { noun, describe }: VisitKind<Row>,
  visit: Row,
  tell: (start: string) => string,
): void {
  const { id, startsAt, decideBy } = visit;
  const start = localMinute(startsAt, doc.timezone);
  const isPending = decideBy !== null;
  const wait = isPending
    ? `: approve or decline it by ${localMinute(decideBy, doc.timezone)}, or it is cancelled`
    : "";
  notify(
    rt,
    openCondition(
      "booking.received",
      `${describe(visit)} ${tell(start)}${wait}`,
      `deskbell ${noun}s ${isPending ? "approve" : "show"} ${id} --business ${slug}`,
      {
        business: slug,
        subject: { id, name: start },
        since: rt.now(),
        ...(isPending && { asksForDecision: true }),
      },
    ),
  );
}

/**
 * Returns whether a condition, notice or alert asks for a decision about a visit that no longer
 * waits for one, or was deleted.
 */
export function isDecided(
  rt: Runtime,
  {
    business: slug,
    subject,
    asksForDecision,
  }: Pick<HealthCondition, "business" | "subject" | "asksForDecision">,
): boolean {
  if (!asksForDecision || slug === null || subject === null) return false;
  const business = rt.store.businesses.findBySlug(slug);
  const visit =
    business &&
    (rt.store.bookings.findById(business.id, subject.id) ??
      rt.store.reservations.findById(business.id, subject.id) ??
      askOtherVisits((kind) => kind.find(rt, business.id, subject.id)));
  return visit?.status !== "PENDING";
}

/** Returns a condition for each pending visit for which half of the time to decide has passed. */
export const checkUndecided = (rt: Runtime): HealthCondition[] =>
  [BOOKING, RESERVATION].flatMap(({ noun, store }) =>
    store(rt)
      .listPending(MAX_PENDING)
      .filter((visit) => isDecisionLate(visit, rt.now()))
      .map(({ id, businessId, decideBy, createdAt }) => {
        const business = rt.store.businesses.findById(businessId);
        const slug = business?.slug ?? businessId;
        const by = localMinute(decideBy, business?.doc.timezone ?? "UTC");
        return openCondition(
          "booking.undecided",
          `the ${noun} ${id} is cancelled at ${by} unless it is approved`,
          `deskbell ${noun}s approve ${id} --business ${slug}`,
          {
            business: slug,
            subject: { id, name: noun },
            since: createdAt,
            asksForDecision: true,
          },
        );
      }),
  );

/** Returns a text such as `2026-12-01 10:00`. */
const localMinute = (at: number, timezone: string): string =>
  formatLocalMinute(at, timezone).replace("T", " ");
