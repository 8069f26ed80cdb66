import type {
  NamedAppointmentRequest,
  NamedTableRequest,
  NamedSegmentsRequest,
} from "../../domain/availability/request.ts";
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
import { tellOfChange } from "../guests/guest-news.ts";
import { audienceOf, OPERATOR, type VisitAccess, toPartnerBooking } from "./access.ts";
import { auditVisit, auditIgnoredNotice, type StartOptions } from "./audit-visit.ts";
import { type ChangeStore, changeTime, expireDueVisits } from "./change-visit.ts";
import { notifyReceived } from "./booking-alerts.ts";
import { saveCustomer } from "./guests.ts";
import { getTableHold, getBookingHold } from "./holds.ts";
import {
  type BookingTerms,
  describeAppointment,
  planBooking,
  planReservation,
  type TableTerms,
  type VisitRequest,
  type VisitTerms,
} from "./plan-booking.ts";
import { countVisit } from "./booking-limits.ts";
import { BOOKING, RESERVATION } from "./visit-kinds.ts";

/** What the client says about the guest. */
export type GuestDetails = { customerRef: string | null; customer: Customer | null };

type NewVisit<Wanted> = { guest: GuestDetails } & ({ holdId: string } | Wanted);

/** A new booking, either at a given time or with the terms of a hold. */
type NewBooking = NewVisit<VisitRequest<NamedAppointmentRequest | NamedSegmentsRequest>> & {
  /**
   * The total that the guest has seen. The booking is refused if the total differs; nothing is
   * checked if the field is null or absent.
   */
  expectedTotalCents?: number | null;
};

/** A new reservation, either at a given time or with the terms of a hold. */
type NewReservation = NewVisit<VisitRequest<NamedTableRequest> & { table?: string | null }>;

/**
 * Creates a booking for any client. A booking of a hold has the time and price of the hold, even if
 * the catalog has changed since the hold was created. Call it in a transaction.
 * @throws AppError resource_not_found, price_changed, too_many_bookings; with a hold: hold_expired,
 * hold_used, validation_failed; without a hold: service_not_bookable, variant_service_mismatch,
 * addon_not_linked, staff_cannot_perform, party_too_large, slot_taken
 */
export function bookServices(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  { guest, expectedTotalCents = null, ...wanted }: NewBooking,
): Booking {
  if ("holdId" in wanted) {
    const hold = getBookingHold(rt, business, access, wanted.holdId);
    const booking = insertBooking(rt, business, access, hold, guest);
    rt.store.holds.markUsed(hold.id, { bookingId: booking.id });
    // A wrong total throws, which rolls back the transaction and with it the booking.
    assertExpectedTotal(expectedTotalCents, hold.totalCents);
    return booking;
  }
  expireDueVisits(rt, business);
  const terms = planBooking(rt, business, { ...wanted, audience: audienceOf(access) });
  assertExpectedTotal(expectedTotalCents, terms.totalCents);
  const booking = insertBooking(rt, business, access, terms, guest);
  if (wanted.ignoresNotice) auditIgnoredNotice(rt, business, "booking", booking);
  return booking;
}

/**
 * Creates a booking as the operator. The input names catalog objects by key or ID.
 * @throws AppError validation_failed, invalid_date, and those of `bookServices`
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
    const { timezone } = business.doc;
    const booking = bookServices(rt, business, OPERATOR, {
      request: appointment,
      startsAt: parseStartTime(start, timezone),
      refusal: describeAppointment(appointment, start),
      ignoresNotice,
      guest,
    });
    return toPublicBooking(booking, timezone);
  });
}

/** @throws AppError price_changed, with the new total */
export function assertExpectedTotal(expected: number | null, totalCents: number): void {
  if (expected === null || expected === totalCents) return;
  throw new AppError("price_changed", `The total is ${totalCents}, not ${expected}.`, {
    fix: "show the new total to the guest, and send it as 'expectedTotalCents'",
    extensions: { totalCents },
  });
}

function insertBooking(
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
  tellOfChange(rt, business, null, booking);
  if (access.keyId === null) auditVisit(rt, business, "booking.created", booking);
  else notifyReceived(rt, business, access, BOOKING, booking);
  const event = bookingCreatedEvent(toPartnerBooking(rt, business, booking));
  appendEvents(rt, business, [event], access.keyId);
  return booking;
}

/** Returns the fields of a new visit. A visit that the operator books needs no approval. */
function newVisit(
  rt: Runtime,
  store: ChangeStore,
  business: BusinessRow,
  { keyId, needsApproval = false }: VisitAccess,
  { startsAt, endsAt, cancelUntil, requiresApproval }: VisitTerms,
  { customerRef }: GuestDetails,
): Omit<Visit, "id"> {
  const now = rt.now();
  return {
    ...newState((requiresApproval || needsApproval) && keyId !== null, startsAt, now),
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
 * Creates a reservation for any client. A reservation of a hold has the time and table of the hold.
 * Call it in a transaction.
 * @throws AppError resource_not_found, too_many_bookings; with a hold: hold_expired, hold_used,
 * validation_failed; without a hold: party_too_large, slot_taken
 */
export function reserveTable(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  { guest, ...wanted }: NewReservation,
): Reservation {
  if ("holdId" in wanted) {
    const hold = getTableHold(rt, business, access, wanted.holdId);
    const reservation = insertReservation(rt, business, access, hold, guest);
    rt.store.holds.markUsed(hold.id, { reservationId: reservation.id });
    return reservation;
  }
  expireDueVisits(rt, business);
  const terms = planReservation(rt, business, { ...wanted, audience: audienceOf(access) });
  const reservation = insertReservation(rt, business, access, terms, guest);
  if (wanted.ignoresNotice) auditIgnoredNotice(rt, business, "reservation", reservation);
  return reservation;
}

/**
 * Creates a reservation as the operator. The input names catalog objects by key or ID.
 * @throws AppError validation_failed, invalid_date, and those of `reserveTable`
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
    const { timezone } = business.doc;
    const reservation = reserveTable(rt, business, OPERATOR, {
      request: { partySize: party, areaId: area },
      table,
      startsAt: parseStartTime(start, timezone),
      refusal: `No table for ${party} is free at ${start}`,
      ignoresNotice,
      guest,
    });
    return toPublicReservation(reservation, timezone);
  });
}

function insertReservation(
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
  tellOfChange(rt, business, null, reservation);
  if (access.keyId === null) auditVisit(rt, business, "reservation.created", reservation);
  else notifyReceived(rt, business, access, RESERVATION, reservation);
  const event = reservationCreatedEvent(toPublicReservation(reservation, business.doc.timezone));
  appendEvents(rt, business, [event], access.keyId);
  return reservation;
}
