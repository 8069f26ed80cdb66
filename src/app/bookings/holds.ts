import type { NamedTableRequest, NamedVisitRequest } from "../../domain/availability/request.ts";
import { type Hold, holdStatus } from "../../domain/bookings/hold.ts";
import type { Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import { AppError } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { changesOnly, seesOnly, type VisitAccess } from "./access.ts";
import { type GuestDetails, insertBooking, insertReservation } from "./bookings.ts";
import { expireDueVisits } from "./change-visit.ts";
import { assertMayHold, type HoldClient } from "./hold-limits.ts";
import { CANNOT_BE_BOOKED, planBooking, planReservation } from "./plan-booking.ts";

type NewHold = { startsAt: number; ttlMs: number };

/** Call it in a transaction. @throws AppError those of `planBooking`, too_many_holds */
export function holdVisit(
  rt: Runtime,
  business: BusinessRow,
  client: HoldClient,
  { request, ...hold }: NewHold & { request: NamedVisitRequest },
): Hold {
  expireDueVisits(rt, business);
  const terms = planBooking(rt, business, {
    audience: "PUBLIC",
    request,
    startsAt: hold.startsAt,
    refusal: CANNOT_BE_BOOKED,
  });
  return insertHold(rt, business, client, hold, { ...terms, areaId: null, tableId: null });
}

/** Call it in a transaction. @throws AppError those of `planReservation`, too_many_holds */
export function holdTable(
  rt: Runtime,
  business: BusinessRow,
  client: HoldClient,
  { request, ...hold }: NewHold & { request: NamedTableRequest },
): Hold {
  expireDueVisits(rt, business);
  const { partySize, ...terms } = planReservation(rt, business, {
    audience: "PUBLIC",
    request,
    table: null,
    startsAt: hold.startsAt,
    refusal: CANNOT_BE_BOOKED,
  });
  const { currency, currencyDigits } = business.doc;
  const price = { totalCents: 0, currency, currencyDigits };
  return insertHold(rt, business, client, hold, {
    ...terms,
    ...price,
    segments: [],
    guests: partySize,
  });
}

type Terms = Omit<
  Hold,
  "id" | "keyId" | "visitor" | "status" | "bookingId" | "reservationId" | "expiresAt" | "createdAt"
>;

function insertHold(
  rt: Runtime,
  business: BusinessRow,
  { keyId, visitor }: HoldClient,
  { ttlMs }: NewHold,
  terms: Terms,
): Hold {
  assertMayHold(rt, business, { keyId, visitor }, terms);
  const now = rt.now();
  const hold: Hold = {
    ...terms,
    id: rt.newId("hld"),
    keyId,
    visitor,
    status: "OPEN",
    bookingId: null,
    reservationId: null,
    expiresAt: now + ttlMs,
    createdAt: now,
  };
  rt.store.holds.insert(business.id, hold);
  return hold;
}

/**
 * The booking keeps the time and price of the hold, whatever has changed since. Call it in a
 * transaction.
 * @throws AppError resource_not_found, hold_expired, hold_used, validation_failed
 */
export function bookHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  holdId: string,
  guest: GuestDetails,
): Booking {
  const hold = getOpenHold(rt, business, access, holdId);
  if (hold.tableId !== null) throw wrongKind("This hold is of a table: use it for a reservation.");
  const booking = insertBooking(rt, business, access, hold, guest);
  rt.store.holds.markUsed(hold.id, { bookingId: booking.id });
  return booking;
}

/** Like `bookHold`, for a table. */
export function reserveHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  holdId: string,
  guest: GuestDetails,
): Reservation {
  const hold = getOpenHold(rt, business, access, holdId);
  const { tableId, guests: partySize } = hold;
  if (tableId === null) throw wrongKind("This hold is of a visit: use it for a booking.");
  const terms = { ...hold, tableId, partySize };
  const reservation = insertReservation(rt, business, access, terms, guest);
  rt.store.holds.markUsed(hold.id, { reservationId: reservation.id });
  return reservation;
}

function wrongKind(detail: string): AppError {
  const issues = [{ pointer: "#/holdId", code: "invalid_value", detail }];
  return new AppError("validation_failed", detail, { issues });
}

/** Releasing a hold that is over changes nothing. @throws AppError resource_not_found, hold_used */
export function releaseHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  id: string,
): void {
  rt.tx(() => {
    const hold = getHoldToChange(rt, business, access, id);
    if (hold.status === "USED") throw holdUsedError(hold);
    if (hold.status === "OPEN") rt.store.holds.release(id);
  });
}

function getOpenHold(rt: Runtime, business: BusinessRow, access: VisitAccess, id: string): Hold {
  const hold = getHoldToChange(rt, business, access, id);
  const status = holdStatus(hold, rt.now());
  if (status === "USED") throw holdUsedError(hold);
  if (status === "OPEN") return hold;
  const isExpired = hold.expiresAt <= rt.now();
  throw new AppError("hold_expired", `This hold ${isExpired ? "has expired" : "was released"}.`, {
    fix: "hold the time again",
  });
}

/** @throws AppError resource_not_found, also if the client may not see it */
export const getHold = (
  rt: Runtime,
  { id: businessId }: BusinessRow,
  access: VisitAccess,
  id: string,
): Hold => getHoldOf(rt, businessId, id, seesOnly(access));

const getHoldToChange = (
  rt: Runtime,
  { id: businessId }: BusinessRow,
  access: VisitAccess,
  id: string,
): Hold => getHoldOf(rt, businessId, id, changesOnly(access));

function getHoldOf(rt: Runtime, businessId: string, id: string, keyId: string | null): Hold {
  const hold = rt.store.holds.findById(businessId, id, keyId);
  if (hold) return hold;
  throw new AppError("resource_not_found", `There is no hold ${quote(id)}.`);
}

function holdUsedError({ bookingId, reservationId }: Hold): AppError {
  return new AppError("hold_used", `This hold became ${bookingId ?? reservationId}.`, {
    fix: "read that booking or reservation; to book again, hold a time again",
    members: { bookingId, reservationId },
  });
}
