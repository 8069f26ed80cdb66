import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import type { Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import { isDecisionLate, type Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { notify } from "../notices.ts";
import type { Runtime } from "../runtime.ts";
import { initiatorOf, type VisitAccess } from "./access.ts";
import { askOtherVisits } from "./other-visits.ts";
import { BOOKING, RESERVATION } from "./visit-kinds.ts";

/** How many pending visits of each kind are checked, from the earliest deadline on. */
const MAX_PENDING = 100;

/** How an alert names a visit. */
type AlertedVisit = {
  noun: "booking" | "reservation";
  /** A description such as `a booking of Cut`. */
  what: string;
};

/**
 * Alerts the operator of a visit that a client or guest has made, without guest data. Call it in
 * the transaction that writes the visit.
 */
export const notifyReceived = (
  rt: Runtime,
  business: BusinessRow,
  { madeWhere = "over the API" }: VisitAccess,
  alerted: AlertedVisit,
  visit: Visit,
): void => notifyOf(rt, business, visit, alerted, (start) => `at ${start} was made ${madeWhere}`);

/**
 * Alerts the operator of a visit that a client or guest has moved, if its new time waits for a
 * decision. Call it in the transaction that writes the visit.
 */
export function notifyMoved(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  alerted: AlertedVisit,
  visit: Visit,
): void {
  if (initiatorOf(access) !== "GUEST" || visit.status !== "PENDING") return;
  const { madeWhere = "over the API" } = access;
  notifyOf(rt, business, visit, alerted, (start) => `was moved ${madeWhere} to ${start}`);
}

function notifyOf(
  rt: Runtime,
  { slug, doc }: BusinessRow,
  { id, startsAt, decideBy }: Visit,
  { noun, what }: AlertedVisit,
  tell: (start: string) => string,
): void {
  const start = localMinute(startsAt, doc.timezone);
  const isPending = decideBy !== null;
  const wait = isPending
    ? `: approve or decline it by ${localMinute(decideBy, doc.timezone)}, or it is cancelled`
    : "";
  notify(
    rt,
    openCondition(
      "booking.received",
      `${what} ${tell(start)}${wait}`,
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

/** Returns a text such as `a booking of Cut, Colour`. */
export const describeBooking = ({ segments }: Pick<Booking, "segments">): string =>
  `a booking of ${segments
    .map(({ serviceName }) => serviceName)
    .filter((name) => name !== null)
    .join(", ")}`;

export const describeReservation = ({ partySize }: Pick<Reservation, "partySize">): string =>
  `a table for ${partySize}`;

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
