import type { NamedTableRequest, NamedSegmentsRequest } from "../../domain/availability/request.ts";
import { type Hold, holdStatus } from "../../domain/bookings/hold.ts";
import { AppError } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { changesOnly, seesOnly, type VisitAccess } from "./access.ts";
import { expireDueVisits } from "./change-visit.ts";
import { assertMayHold, type HoldClient, listFull } from "./hold-limits.ts";
import { planBooking, planReservation, type TableTerms } from "./plan-booking.ts";

type NewHold = {
  request: NamedSegmentsRequest | NamedTableRequest;
  startsAt: number;
  /**
   * How long the time is kept. If it is 0, only the terms are stored, and others can take the time.
   */
  ttlMs: number;
};

/**
 * Creates a hold of a time or table. Call it in a transaction.
 * @throws AppError too_many_holds, and those of `planBooking` or `planReservation`
 */
export function createHold(
  rt: Runtime,
  business: BusinessRow,
  client: HoldClient,
  { request, startsAt, ttlMs }: NewHold,
): Hold {
  expireDueVisits(rt, business);
  const avoided = ttlMs > 0 ? listFull(rt, business, client, startsAt) : undefined;
  const visit = { audience: "PUBLIC" as const, startsAt, avoided };
  const terms =
    "partySize" in request
      ? tableTerms(business, planReservation(rt, business, { ...visit, request }))
      : { ...planBooking(rt, business, { ...visit, request }), areaId: null, tableId: null };
  return insertHold(rt, business, client, ttlMs, terms);
}

const tableTerms = (
  { doc: { currency, currencyDigits } }: BusinessRow,
  { partySize, ...terms }: TableTerms,
): Terms => ({
  ...terms,
  segments: [],
  guests: partySize,
  totalCents: 0,
  currency,
  currencyDigits,
});

type Terms = Omit<
  Hold,
  "id" | "keyId" | "visitor" | "status" | "bookingId" | "reservationId" | "expiresAt" | "createdAt"
>;

function insertHold(
  rt: Runtime,
  business: BusinessRow,
  client: HoldClient,
  ttlMs: number,
  terms: Terms,
): Hold {
  if (ttlMs > 0) assertMayHold(rt, business, client, terms);
  const { keyId, visitor } = client;
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
 * Returns an open hold for a booking.
 * @throws AppError resource_not_found, hold_expired, hold_used, validation_failed
 */
export function getBookingHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  id: string,
): Hold {
  const hold = getOpenHold(rt, business, access, id);
  if (hold.tableId === null) return hold;
  throw wrongHoldError("This hold is of a table: use it for a reservation.");
}

/** Returns an open hold for a reservation. The errors are those of `getBookingHold`. */
export function getTableHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  id: string,
): Hold & TableTerms {
  const hold = getOpenHold(rt, business, access, id);
  const { tableId, guests: partySize } = hold;
  if (tableId !== null) return { ...hold, tableId, partySize };
  throw wrongHoldError("This hold is of services: use it for a booking.");
}

function wrongHoldError(detail: string): AppError {
  const issues = [{ pointer: "#/holdId", code: "invalid_value", detail }];
  return new AppError("validation_failed", detail, { issues });
}

/**
 * Releases a hold. Nothing happens if the hold has expired or was released before.
 * @throws AppError resource_not_found, hold_used
 */
export function releaseHold(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  id: string,
): void {
  rt.tx(() => {
    const hold = getHoldToChange(rt, business, access, id);
    const status = holdStatus(hold, rt.now());
    if (status === "USED") throw holdUsedError(hold);
    // A released hold does not count as unused, but a hold that was left to expire does.
    if (status === "OPEN") rt.store.holds.release(id);
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

/** @throws AppError resource_not_found if the hold does not exist or the client may not see it */
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
    extensions: { bookingId, reservationId },
  });
}
