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
import { changeState, getVisit, getVisitToChange, type StateAction } from "./change-visit.ts";
import { BOOKING, RESERVATION } from "./visit-kinds.ts";

// What the operator does with visits that exist. A change of the catalog cancels visits, too, so this
// file must not load the search for free times.

/** @throws AppError resource_not_found, wrong_status */
export const cancelBooking = (rt: Runtime, slug: string, id: string): PublicBooking =>
  changeBooking(rt, slug, id, "cancel");

/** On behalf of the operator. @throws AppError resource_not_found, wrong_status */
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

/** On behalf of the operator. @throws AppError resource_not_found, wrong_status */
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
