import {
  type Booking,
  type PublicBooking,
  toPublicBooking,
} from "../../domain/bookings/booking.ts";
import {
  type PublicReservation,
  type Reservation,
  toPublicReservation,
} from "../../domain/bookings/reservation.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { OPERATOR } from "./access.ts";
import {
  changeState,
  getVisit,
  getVisitToChange,
  type StateAction,
  expireDueVisits,
} from "./change-visit.ts";
import { BOOKING, RESERVATION, type VisitKind } from "./visit-kinds.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";

// The changes that the operator makes to existing visits are in this file. Catalog changes import
// it to cancel visits, so it must not import the search for free times.

/** @throws AppError resource_not_found, wrong_status */
export const cancelBooking = (rt: Runtime, slug: string, id: string): PublicBooking =>
  changeBooking(rt, slug, id, "cancel");

/**
 * Changes the state of a booking as the operator.
 * @throws AppError resource_not_found, wrong_status
 */
export const changeBooking = (
  rt: Runtime,
  slug: string,
  id: string,
  action: StateAction,
  reason: string | null = null,
): PublicBooking =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const row = getVisitToChange(rt, BOOKING, business, OPERATOR, id);
    const after = changeState(rt, BOOKING, business, OPERATOR, row, action, reason);
    return toPublicBooking(after, business.doc.timezone);
  });

export const getBooking = (rt: Runtime, businessId: string, id: string): Booking =>
  getVisit(rt, BOOKING, businessId, OPERATOR, id);

/** @throws AppError resource_not_found, wrong_status */
export const cancelReservation = (rt: Runtime, slug: string, id: string): PublicReservation =>
  changeReservation(rt, slug, id, "cancel");

/**
 * Changes the state of a reservation as the operator.
 * @throws AppError resource_not_found, wrong_status
 */
export const changeReservation = (
  rt: Runtime,
  slug: string,
  id: string,
  action: StateAction,
  reason: string | null = null,
): PublicReservation =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const row = getVisitToChange(rt, RESERVATION, business, OPERATOR, id);
    const after = changeState(rt, RESERVATION, business, OPERATOR, row, action, reason);
    return toPublicReservation(after, business.doc.timezone);
  });

export const getReservation = (rt: Runtime, businessId: string, id: string): Reservation =>
  getVisit(rt, RESERVATION, businessId, OPERATOR, id);

/** The most visits that are cancelled together, because one transaction cancels them all. */
export const MAX_CANCELLED = 1000;

/** Selects the visits or orders that a key has made since a time (epoch milliseconds). */
export type MadeByKey = { keyId: string; createdSince: number };

/** Lists and cancels the visits of one kind that a key has made. */
export type Cancellable<Row> = {
  /**
   * Cancels pending visits that were not approved in time, so that `list` leaves them out. Call it
   * in a transaction.
   */
  expireDue: (rt: Runtime, business: BusinessRow) => void;
  /** Returns at most `MAX_CANCELLED` visits that have not started and are not cancelled. */
  list: (rt: Runtime, businessId: string, made: MadeByKey) => Row[];
  /** Cancels a visit on behalf of the operator. */
  cancel: (rt: Runtime, business: BusinessRow, row: Row, reason: string | null) => Row;
};

/**
 * Cancels the visits that `list` returns, in one transaction.
 * @throws AppError business_not_found
 */
export const cancelMany = <Row>(
  rt: Runtime,
  { expireDue, list, cancel }: Cancellable<Row>,
  slug: string,
  made: MadeByKey,
  reason: string | null,
): Row[] =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDue(rt, business);
    return list(rt, business.id, made).map((row) => cancel(rt, business, row, reason));
  });

/** Returns a filter for each status in which a visit or order of the key can be cancelled. */
export const filtersOf = (businessId: string, { keyId, createdSince }: MadeByKey) =>
  (["PENDING", "CONFIRMED"] as const).map((status) => ({
    businessId,
    createdByKey: keyId,
    createdSince,
    status,
  }));

/** Returns the functions that list the visits of a kind, in order of start, and cancel them. */
export const cancellableVisits = <Row extends Visit>(kind: VisitKind<Row>): Cancellable<Row> => ({
  expireDue: expireDueVisits,
  list: (rt, businessId, made) =>
    filtersOf(businessId, made)
      .flatMap((filter) => kind.store(rt).listPage({ ...filter, from: rt.now() }, MAX_CANCELLED))
      .toSorted((a, b) => a.startsAt - b.startsAt)
      .slice(0, MAX_CANCELLED),
  cancel: (rt, business, row, reason) =>
    changeState(rt, kind, business, OPERATOR, row, "cancel", reason),
});
