import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
  bookingCancelledEvent,
  bookingCreatedEvent,
} from "../../domain/bookings/booking.ts";
import { parseBookingRequest, parseReservationRequest } from "../../domain/bookings/requests.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { planBooking, planReservation } from "./plan-booking.ts";
import { getBusiness } from "../businesses.ts";
import { appendEvents } from "../events.ts";
import {
  type PublicReservation,
  toPublicReservation,
  type Reservation,
  reservationCancelledEvent,
  reservationCreatedEvent,
} from "../../domain/bookings/reservation.ts";

/**
 * @throws AppError validation_failed, invalid_date, resource_not_found, service_not_bookable,
 *   variant_service_mismatch, addon_not_linked, staff_cannot_perform, party_too_large, conflict
 */
export function createBooking(rt: Runtime, slug: string, input: unknown): PublicBooking {
  const request = parseBookingRequest(input);
  const { guests } = request.appointment;
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { currency, currencyDigits, timezone } = business.doc;
    const { segments, ...times } = planBooking(rt, business, request);
    const now = rt.now();
    const booking: Booking = {
      id: rt.newId("bkg"),
      status: "CONFIRMED",
      ...times,
      segments,
      guests,
      totalCents: segments.reduce((sum, { priceCents }) => sum + priceCents, 0) * guests,
      currency,
      currencyDigits,
      customerRef: request.customerRef,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    rt.store.bookings.insert(business.id, booking);
    const event = bookingCreatedEvent(toPartnerBooking(rt, business, booking));
    appendEvents(rt, business, [event]);
    return toPublicBooking(booking, timezone);
  });
}

/** @throws AppError resource_not_found, conflict */
export function cancelBooking(rt: Runtime, slug: string, id: string): PublicBooking {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const booking = getBooking(rt, business.id, id);
    assertCancellable(`Booking ${booking.id}`, booking);
    rt.store.bookings.cancel(booking.id, rt.now());
    rt.store.businesses.incrementRevision(business.id);
    const cancelled: Booking = {
      ...booking,
      status: "CANCELLED",
      version: booking.version + 1,
    };
    const event = bookingCancelledEvent(toPartnerBooking(rt, business, cancelled));
    appendEvents(rt, business, [event]);
    return toPublicBooking(cancelled, business.doc.timezone);
  });
}

/** As in events, and for keys without `bookings.read`: without staff members who are not public. */
export function toPartnerBooking(
  rt: Runtime,
  { id, doc }: BusinessRow,
  booking: Booking,
): PublicBooking {
  const publicBooking = toPublicBooking(booking, doc.timezone);
  const isPublic = (staffId: string | null): boolean =>
    staffId !== null && rt.store.catalog.findByKeyOrId(id, "staff", staffId)?.public === true;
  return {
    ...publicBooking,
    segments: publicBooking.segments.map((segment) =>
      isPublic(segment.staffId) ? segment : { ...segment, staffId: null },
    ),
  };
}

export function assertCancellable(what: string, { status }: { status: string }): void {
  if (status !== "PENDING" && status !== "CONFIRMED")
    throw new AppError("conflict", `${what} cannot be cancelled: its status is ${status}.`);
}

export const getBooking = (rt: Runtime, businessId: string, id: string): Booking =>
  assertFound(
    rt.store.bookings.findById(businessId, id),
    `There is no booking '${id}'.`,
    "deskbell bookings list",
  );

/**
 * @throws AppError validation_failed, invalid_date, resource_not_found, party_too_large, conflict
 */
export function createReservation(rt: Runtime, slug: string, input: unknown): PublicReservation {
  const request = parseReservationRequest(input);
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const now = rt.now();
    const reservation: Reservation = {
      id: rt.newId("rsv"),
      status: "CONFIRMED",
      partySize: request.party,
      ...planReservation(rt, business, request),
      customerRef: request.customerRef,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    rt.store.reservations.insert(business.id, reservation);
    const publicReservation = toPublicReservation(reservation, business.doc.timezone);
    appendEvents(rt, business, [reservationCreatedEvent(publicReservation)]);
    return publicReservation;
  });
}

/** @throws AppError resource_not_found, conflict */
export function cancelReservation(rt: Runtime, slug: string, id: string): PublicReservation {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const reservation = getReservation(rt, business.id, id);
    assertCancellable(`Reservation ${reservation.id}`, reservation);
    rt.store.reservations.cancel(reservation.id, rt.now());
    rt.store.businesses.incrementRevision(business.id);
    const cancelled: Reservation = {
      ...reservation,
      status: "CANCELLED",
      version: reservation.version + 1,
    };
    const publicReservation = toPublicReservation(cancelled, business.doc.timezone);
    appendEvents(rt, business, [reservationCancelledEvent(publicReservation)]);
    return publicReservation;
  });
}

export const getReservation = (rt: Runtime, businessId: string, id: string): Reservation =>
  assertFound(
    rt.store.reservations.findById(businessId, id),
    `There is no reservation '${id}'.`,
    "deskbell reservations list",
  );
