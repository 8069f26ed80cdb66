import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import { isDecisionLate, type Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { notify } from "../notices.ts";
import type { Runtime } from "../runtime.ts";
import type { VisitAccess } from "./access.ts";
import { BOOKING, RESERVATION } from "./visit-kinds.ts";

/**
 * The most pending visits of each kind that are checked. Visits with the earliest deadline come
 * first.
 */
const MAX_PENDING = 100;

/**
 * Alerts the operator of a visit that a client or guest has made, without guest data. Call it in
 * the transaction that writes the visit.
 * @param what a description such as `a booking of Cut`
 */
export function notifyReceived(
  rt: Runtime,
  { slug, doc }: BusinessRow,
  { madeWhere = "over the API" }: VisitAccess,
  noun: "booking" | "reservation",
  { id, startsAt, decideBy }: Visit,
  what: string,
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
      `${what} at ${start} was made ${madeWhere}${wait}`,
      `deskbell ${noun}s ${isPending ? "approve" : "show"} ${id} --business ${slug}`,
      { business: slug, subject: { id, name: start }, since: rt.now() },
    ),
  );
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
          },
        );
      }),
  );

/** Returns a text such as `2026-12-01 10:00`. */
const localMinute = (at: number, timezone: string): string =>
  formatLocalMinute(at, timezone).replace("T", " ");
