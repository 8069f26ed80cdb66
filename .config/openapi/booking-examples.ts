import type { PublicBooking } from "../../src/domain/bookings/booking.ts";
import type { PublicReservation } from "../../src/domain/bookings/reservation.ts";
import { PATH_OBJECTS } from "./path-objects.ts";

/** A booking and a reservation of the example business, as events contain them. */
export type BookedObjects = {
  booking: PublicBooking;
  reservation: PublicReservation;
  /** When a hold that is made now expires. */
  holdExpiresAt: string;
};

export const CUSTOMER = {
  name: "Ana Silva",
  email: "ana@example.com",
  phone: "+351 910 000 000",
  notes: null,
};

/** Fields of a booking or reservation that an operation changes. */
const CHANGES = {
  cancel: { status: "CANCELLED", cancelledBy: "GUEST", cancelReason: "ill", version: 2 },
  decline: { status: "CANCELLED", cancelledBy: "BUSINESS", cancelReason: "DECLINED", version: 2 },
  complete: { status: "COMPLETED", version: 2 },
  markNoShow: { status: "NO_SHOW", version: 2 },
};

/**
 * Returns examples of requests by operation ID, and examples of responses by schema name. If an
 * operation has a response example of its own, the key is the operation ID, a space and the schema
 * name.
 */
export function bookingExamples(
  { booking, reservation, holdExpiresAt }: BookedObjects,
  pageOf: (object: unknown) => unknown,
): Record<string, unknown> {
  const { startsAt, endsAt, segments, guests, totalCents, currency } = booking;
  const requested = segments.map(({ serviceId, variantId, addons, staffId }) => ({
    serviceId,
    variantId,
    addons,
    staffId,
  }));
  const hold = {
    id: PATH_OBJECTS.holds.id,
    status: "OPEN",
    expiresAt: holdExpiresAt,
    startsAt,
    endsAt,
    segments,
    guests,
    areaId: null,
    tableId: null,
    totalCents,
    currency,
    bookingId: null,
    reservationId: null,
  };
  const customer = CUSTOMER;
  const { partySize } = reservation;
  const changed = Object.entries(CHANGES).flatMap(([action, changes]) => [
    [`${action}Booking BookingResponse`, { data: { ...booking, ...changes } }],
    [`${action}Reservation ReservationResponse`, { data: { ...reservation, ...changes } }],
  ]);
  return {
    ...Object.fromEntries(changed),
    createHold: { startsAt, segments: requested, guests, ttlSeconds: 300 },
    createBooking: { holdId: PATH_OBJECTS.holds.id, customerRef: "web-812", customer },
    updateBooking: { customer: { phone: "+351 910 000 001" } },
    rescheduleBooking: { startsAt },
    cancelBooking: { reason: "ill" },
    approveBooking: {},
    declineBooking: {},
    completeBooking: {},
    markNoShowBooking: {},
    createReservation: { startsAt: reservation.startsAt, partySize, customerRef: "web-813" },
    updateReservation: { customerRef: "web-814" },
    rescheduleReservation: { startsAt: reservation.startsAt, partySize },
    cancelReservation: { reason: "ill" },
    approveReservation: {},
    declineReservation: {},
    completeReservation: {},
    markNoShowReservation: {},
    HoldResponse: { data: hold },
    BookingResponse: { data: booking },
    BookingWithCustomerResponse: { data: { ...booking, customer } },
    BookingList: pageOf(booking),
    ReservationResponse: { data: reservation },
    ReservationWithCustomerResponse: { data: { ...reservation, customer } },
    ReservationList: pageOf(reservation),
  };
}
