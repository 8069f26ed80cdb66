import type { Envelope } from "../../domain/events/envelope.ts";
import { toPublicBooking } from "../../domain/bookings/booking.ts";
import { toPublicHold } from "../../domain/bookings/hold.ts";
import { toPublicReservation } from "../../domain/bookings/reservation.ts";
import type { ReadGuestRecords } from "../../app/feature-hooks.ts";
import { askOtherVisits } from "../../app/bookings/other-visits.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { audit } from "../../app/audit.ts";
import type { Runtime } from "../../app/runtime.ts";
import { findGuests, type GuestQuery, type VisitQuery } from "./find-guests.ts";

/**
 * Returns all stored data of a guest: the visits and orders with the guest data, and the events
 * about them, which partners may have received.
 * @param readers functions that read what features store about a visit
 * @returns `undecryptable`: the number of visits whose guest data no master key decrypts
 */
export function exportGuests(
  rt: Runtime,
  business: BusinessRow,
  query: GuestQuery | VisitQuery,
  readers: readonly ReadGuestRecords[] = [],
) {
  const { guests, undecryptable } = findGuests(rt, business.id, query);
  const visits = guests.map(({ visitId, customer }) => ({
    ...describeVisit(rt, business, visitId),
    customer,
    events: rt.store.events.listByVisit(visitId).map(({ body }) => {
      const { id, type, createdAt } = JSON.parse(body.toString()) as Envelope;
      return { id, type, createdAt };
    }),
    ...Object.assign({}, ...readers.map((read) => read(rt, visitId))),
  }));
  const visitIds = guests.map(({ visitId }) => visitId);
  if (visitIds.length > 0)
    rt.tx(() =>
      audit(rt, {
        action: "guests.exported",
        subject: { id: business.id, name: business.slug },
        businessId: business.id,
        details: { visits: visitIds.length, visitIds },
      }),
    );
  return { visits, undecryptable: undecryptable.length };
}

/**
 * Returns a visit without guest data. If the visit has been deleted meanwhile, returns only its ID.
 */
function describeVisit(rt: Runtime, business: BusinessRow, id: string) {
  const { id: businessId, doc } = business;
  const { timezone } = doc;
  const booking = rt.store.bookings.findById(businessId, id);
  if (booking) return { type: "booking", object: toPublicBooking(booking, timezone) };
  const reservation = rt.store.reservations.findById(businessId, id);
  if (reservation)
    return { type: "reservation", object: toPublicReservation(reservation, timezone) };
  // The argument `null` finds a hold of any API key.
  const hold = rt.store.holds.findById(businessId, id, null);
  if (hold) return { type: "hold", object: toPublicHold(hold, timezone, rt.now()) };
  return (
    askOtherVisits(({ describe }) => describe(rt, business, id)) ?? {
      type: "visit",
      object: { id },
    }
  );
}
