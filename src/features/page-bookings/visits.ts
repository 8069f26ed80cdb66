import { accessOfPage, createIsCounted, findPageKey, runAsPage } from "./access.ts";
import { changeState, getVisitToChange } from "../../app/bookings/change-visit.ts";
import { findKeptArea, moveReservation, moveBooking } from "../../app/bookings/reschedule.ts";
import { BOOKING, RESERVATION } from "../../app/bookings/visit-kinds.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { assertWithinShare, partOfShare } from "./post/book.ts";
import { hashToken, isLinkToken } from "./link-tokens.ts";
import { LINK_MS } from "./rules.ts";
import { createPageBookingStore } from "./store.ts";

// The token of a link lets a guest see and change the visit.

/** A visit, and the key that made it. The guest changes the visit in the name of this key. */
export type GuestVisit = { keyId: string; language: string } & (
  | { kind: "booking"; visit: Booking }
  | { kind: "reservation"; visit: Reservation }
);

/** Returns the visit of a link; undefined if the link is unknown or has ended. */
export function findGuestVisit(
  rt: Runtime,
  business: BusinessRow,
  token: string,
): GuestVisit | undefined {
  if (!isLinkToken(token)) return undefined;
  const row = rt.openStore(createPageBookingStore).findByToken(hashToken(token));
  if (row === undefined || row.businessId !== business.id) return undefined;
  const { visitId, language } = row;
  const booking = rt.store.bookings.findById(business.id, visitId);
  const reservation = rt.store.reservations.findById(business.id, visitId);
  const visit = booking ?? reservation;
  if (!visit?.createdByKey || visit.endsAt + LINK_MS <= rt.now()) return undefined;
  const owned = { keyId: visit.createdByKey, language };
  if (booking) return { ...owned, kind: "booking", visit: booking };
  return reservation && { ...owned, kind: "reservation", visit: reservation };
}

/**
 * Cancels the visit of a link, as the guest. A visit that is cancelled already stays as it is.
 * @returns false if the link has ended
 * @throws AppError wrong_status, cancellation_closed
 */
export const cancelAsGuest = (rt: Runtime, business: BusinessRow, token: string): boolean =>
  rt.tx(() => {
    const found = findGuestVisit(rt, business, token);
    if (found === undefined) return false;
    const { keyId, visit } = found;
    const access = accessOfPage(business, keyId, null);
    runAsPage(rt, keyId, () => {
      if (found.kind === "booking") {
        const row = getVisitToChange(rt, BOOKING, business, access, visit.id);
        changeState(rt, BOOKING, business, access, row, "cancel");
      } else {
        const row = getVisitToChange(rt, RESERVATION, business, access, visit.id);
        changeState(rt, RESERVATION, business, access, row, "cancel");
      }
    });
    return true;
  });

/**
 * Moves the visit of a link, as the guest. The business must approve the new time if the page takes
 * only requests, or if the terms require approval.
 * @returns false if the link has ended
 * @throws AppError slot_taken, wrong_status, cancellation_closed, too_many_holds
 */
export const moveAsGuest = (
  rt: Runtime,
  business: BusinessRow,
  token: string,
  startsAt: number,
): boolean =>
  rt.tx(() => {
    const found = findGuestVisit(rt, business, token);
    if (found === undefined) return false;
    const { keyId, visit } = found;
    const access = accessOfPage(business, keyId, null);
    runAsPage(rt, keyId, () => {
      if (found.kind === "booking") {
        const row = getVisitToChange(rt, BOOKING, business, access, visit.id);
        const after = moveBooking(rt, business, access, row, { startsAt });
        assertMayMove(rt, business, keyId, visit, after);
      } else {
        const row = getVisitToChange(rt, RESERVATION, business, access, visit.id);
        const areaId = findKeptArea(rt, business, row);
        const after = moveReservation(rt, business, access, row, { startsAt, areaId });
        assertMayMove(rt, business, keyId, visit, after);
      }
    });
    return true;
  });

/**
 * Asserts that a visit which counts towards the page's share fits into the share at its new time. A
 * move to another day takes time like a new visit. A move within a day takes no additional time, so
 * it may use the whole share.
 */
function assertMayMove(
  rt: Runtime,
  business: BusinessRow,
  keyId: string,
  before: Booking | Reservation,
  after: Booking | Reservation,
): void {
  // The share limits only visits of the page's key. Visits of partners' guests have other limits.
  if (keyId !== findPageKey(rt, business) || !createIsCounted(rt, business.id)(after)) return;
  const dayOf = ({ startsAt }: Booking | Reservation): string =>
    localDateOf(startsAt, business.doc.timezone);
  const part = dayOf(before) === dayOf(after) ? 1 : partOfShare(rt, "no proof");
  assertWithinShare(rt, business, keyId, after, part);
}
