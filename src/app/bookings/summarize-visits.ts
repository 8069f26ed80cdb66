import {
  MAX_NAMED_VISITS,
  shortIdOf,
  type VisitSummary,
} from "../../domain/bookings/affected-visits.ts";
import { formatInstant } from "../../domain/local-time.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { createNamer, describeService } from "./day-sheet.ts";
import { guestOf } from "./guests.ts";
import { askOtherVisits } from "./other-visits.ts";

type Found = Pick<VisitSummary, "service" | "staff"> & {
  code?: string;
  startsAt: number;
  customerRef: string | null;
};

/** Returns the visits with these IDs, the first to come first, as many as are named. */
export function summarizeVisits(
  rt: Runtime,
  { id: businessId, doc: { timezone } }: Pick<BusinessRow, "id" | "doc">,
  ids: readonly string[],
): VisitSummary[] {
  const nameOf = createNamer(rt, businessId);
  const { bookings, reservations } = rt.store;

  function find(id: string): Found | undefined {
    const booking = bookings.findById(businessId, id);
    if (booking)
      return {
        ...booking,
        service: booking.segments.map((segment) => describeService(nameOf, segment)).join(" + "),
        staff:
          [...new Set(booking.segments.map((one) => one.staffName ?? nameOf("staff", one.staffId)))]
            .filter((name) => name !== null)
            .join(" + ") || null,
      };
    const reservation = reservations.findById(businessId, id);
    if (reservation)
      return { ...reservation, service: nameOf("table", reservation.tableId), staff: null };
    const visit = askOtherVisits((kind) => kind.find(rt, businessId, id));
    const event =
      visit && rt.store.catalog.findByKeyOrId(businessId, "public_event", visit.eventId);
    return (
      visit && {
        code: visit.code,
        startsAt: event?.startsAt ?? visit.createdAt,
        customerRef: visit.customerRef,
        service: nameOf("public_event", visit.eventId),
        staff: null,
      }
    );
  }

  const found = ids.slice(0, MAX_NAMED_VISITS).flatMap((id) => {
    const visit = find(id);
    return visit === undefined ? [] : [{ id, visit }];
  });
  return found
    .toSorted((a, b) => a.visit.startsAt - b.visit.startsAt)
    .map(({ id, visit: { code, startsAt, customerRef, service, staff } }) => ({
      id,
      shortId: code ?? shortIdOf(id),
      startsAt: formatInstant(startsAt, timezone),
      guest: guestOf(rt, { id, customerRef }),
      service,
      staff,
    }));
}
