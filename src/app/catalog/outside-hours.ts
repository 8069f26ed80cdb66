import {
  type BookedInterval,
  findOutsideHours,
  changesHours,
} from "../../domain/availability/outside-hours.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { CatalogDiff } from "../../domain/catalog/change/diff.ts";
import type { Runtime } from "../runtime.ts";

const MINUTE_MS = 60_000;

/** Returns the IDs of future bookings and reservations that would be outside the new hours. */
export const findVisitsOutsideHours = (
  rt: Runtime,
  businessId: string,
  { before, after, diff }: { before: Catalog; after: Catalog; diff: CatalogDiff },
): string[] =>
  changesHours(diff) ? findOutsideHours(before, after, appointmentsOf(rt, businessId)) : [];

function appointmentsOf(rt: Runtime, businessId: string): BookedInterval[] {
  const reserved = rt.store.reservations.listBusy(businessId, rt.now(), Infinity);
  const booked = rt.store.bookings.listUpcomingSegments(businessId, rt.now());
  return [...booked, ...reserved.map((reservation) => ({ ...reservation, staffId: null }))].map(
    ({ id, staffId, startsAt, endsAt }) => ({
      id,
      staffId,
      start: startsAt / MINUTE_MS,
      end: endsAt / MINUTE_MS,
    }),
  );
}
