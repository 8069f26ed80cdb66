import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
  bookingCreatedEvent,
} from "../../domain/bookings/booking.ts";
import type { Customer } from "../../domain/bookings/customer.ts";
import { parseBookingRequest, parseReservationRequest } from "../../domain/bookings/requests.ts";
import {
  type PublicReservation,
  toPublicReservation,
  type Reservation,
  reservationCreatedEvent,
} from "../../domain/bookings/reservation.ts";
import { parseStartTime } from "../../domain/bookings/start-time.ts";
import { newState, type Visit } from "../../domain/bookings/visit.ts";
import { AppError } from "../../domain/errors.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { getBusiness } from "../businesses.ts";
import { appendEvents } from "../events.ts";
import { OPERATOR, type VisitAccess } from "./access.ts";
import { auditVisit } from "./audit-visit.ts";
import { changeTime, expireDueVisits } from "./change-visit.ts";
import { notifyReceived } from "./booking-alerts.ts";
import { saveCustomer } from "./guests.ts";
import { auditIgnoredNotice, type StartOptions } from "./ignored-notice.ts";
import { toPartnerBooking } from "./partner-view.ts";
import {
  type BookingTerms,
  describeAppointment,
  planBooking,
  planReservation,
  type TableTerms,
  type VisitTerms,
} from "./plan-booking.ts";
import { countVisit } from "./booking-limits.ts";

/** What the client says about the guest. */
export type GuestDetails = { customerRef: string | null; customer: Customer | null };

/**
 * @throws AppError validation_failed, invalid_date, resource_not_found, service_not_bookable,
 *   variant_service_mismatch, addon_not_linked, staff_cannot_perform, party_too_large, slot_taken
 */
export function createBooking(
  rt: Runtime,
  slug: string,
  input: unknown,
  { ignoresNotice = false }: StartOptions = {},
): PublicBooking {
  const { appointment, start, ...guest } = parseBookingRequest(input);
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueVisits(rt, business);
    const terms = planBooking(rt, business, {
      audience: "INTERNAL",
      request: appointment,
      startsAt: parseStartTime(start, business.doc.timezone),
      refusal: describeAppointment(appointment, start),
      ignoresNotice,
    });
    const booking = insertBooking(rt, business, OPERATOR, terms, guest);
    if (ignoresNotice) auditIgnoredNotice(rt, business, "booking", booking);
    return toPublicBooking(booking, business.doc.timezone);
  });
}

/** @throws AppError price_changed, with the new total */
export function assertExpectedTotal(expected: number | null, totalCents: number): void {
  if (expected === null || expected === totalCents) return;
  throw new AppError("price_changed", `The total is ${totalCents}, not ${expected}.`, {
    fix: "show the new total to the guest, and send it as 'expectedTotalCents'",
    members: { totalCents },
  });
}

/** Call it in the transaction that has checked the terms. */
export function insertBooking(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  { segments, guests, totalCents, currency, currencyDigits, ...terms }: BookingTerms,
  guest: GuestDetails,
): Booking {
  countVisit(rt, access);
  const booking: Booking = {
    ...newVisit(rt, rt.store.bookings, business, access, terms, guest),
    id: rt.newId("bkg"),
    segments,
    guests,
    totalCents,
    currency,
    currencyDigits,
  };
  rt.store.bookings.insert(business.id, booking);
  saveCustomer(rt, business.id, booking.id, guest.customer);
  if (access.keyId !== null) {
    const names = segments.map(({ serviceName }) => serviceName).filter((name) => name !== null);
    notifyReceived(rt, business, "booking", booking, `a booking of ${names.join(", ")}`);
  }
  if (access.keyId === null) auditVisit(rt, business, "booking.created", booking);
  const event = bookingCreatedEvent(toPartnerBooking(rt, business, booking));
  appendEvents(rt, business, [event], access.keyId);
  return booking;
}

/** What the operator books needs no approval. */
function newVisit(
  rt: Runtime,
  store: Parameters<typeof changeTime>[1],
  business: BusinessRow,
  { keyId }: VisitAccess,
  { startsAt, endsAt, cancelUntil, requiresApproval }: VisitTerms,
  { customerRef }: GuestDetails,
): Omit<Visit, "id"> {
  const now = rt.now();
  return {
    ...newState(requiresApproval && keyId !== null, startsAt, now),
    startsAt,
    endsAt,
    customerRef,
    createdByKey: keyId,
    cancelUntil,
    version: 1,
    createdAt: now,
    updatedAt: changeTime(rt, store, business.id),
  };
}

/**
 * @throws AppError validation_failed, invalid_date, resource_not_found, party_too_large, slot_taken
 */
export function createReservation(
  rt: Runtime,
  slug: string,
  input: unknown,
  { ignoresNotice = false }: StartOptions = {},
): PublicReservation {
  const { party, start, area, table, ...guest } = parseReservationRequest(input);
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueVisits(rt, business);
    const terms = planReservation(rt, business, {
      audience: "INTERNAL",
      request: { partySize: party, areaId: area },
      table,
      startsAt: parseStartTime(start, business.doc.timezone),
      refusal: `No table for ${party} is free at ${start}`,
      ignoresNotice,
    });
    const reservation = insertReservation(rt, business, OPERATOR, terms, guest);
    if (ignoresNotice) auditIgnoredNotice(rt, business, "reservation", reservation);
    return toPublicReservation(reservation, business.doc.timezone);
  });
}

/** Call it in the transaction that has checked the terms. */
export function insertReservation(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  { partySize, areaId, tableId, ...terms }: TableTerms,
  guest: GuestDetails,
): Reservation {
  countVisit(rt, access);
  const reservation: Reservation = {
    ...newVisit(rt, rt.store.reservations, business, access, terms, guest),
    id: rt.newId("rsv"),
    partySize,
    areaId,
    tableId,
  };
  rt.store.reservations.insert(business.id, reservation);
  saveCustomer(rt, business.id, reservation.id, guest.customer);
  if (access.keyId !== null)
    notifyReceived(rt, business, "reservation", reservation, `a table for ${partySize}`);
  if (access.keyId === null) auditVisit(rt, business, "reservation.created", reservation);
  const event = reservationCreatedEvent(toPublicReservation(reservation, business.doc.timezone));
  appendEvents(rt, business, [event], access.keyId);
  return reservation;
}
