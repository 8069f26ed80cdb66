import { AppError } from "../../domain/errors.ts";
import {
  type PublicReservation,
  toPublicReservation,
  type Reservation,
  reservationCreatedEvent,
} from "../../domain/bookings/reservation.ts";
import { parseReservationRequest } from "../../domain/bookings/requests.ts";
import type { Runtime } from "../runtime.ts";
import { planReservation } from "./plan-booking.ts";
import { getBusiness } from "../businesses.ts";
import { appendEvents } from "../events.ts";

/**
 * Reserves a table. Checks availability in the same transaction.
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
      createdAt: now,
      updatedAt: now,
    };
    rt.store.reservations.insert(business.id, reservation);
    const publicReservation = toPublicReservation(reservation, business.doc.timezone);
    appendEvents(rt, business, [reservationCreatedEvent(publicReservation)]);
    return publicReservation;
  });
}

/**
 * Cancels a reservation and frees its table. The spec has no event for this.
 * @throws AppError resource_not_found, conflict
 */
export function cancelReservation(rt: Runtime, slug: string, id: string): PublicReservation {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const reservation = getReservation(rt, business.id, id);
    if (reservation.status !== "CONFIRMED" && reservation.status !== "PENDING")
      throw new AppError(
        "conflict",
        `Reservation ${reservation.id} cannot be cancelled: its status is ${reservation.status}.`,
      );
    rt.store.reservations.cancel(reservation.id, rt.now());
    rt.store.businesses.incrementRevision(business.id);
    return toPublicReservation({ ...reservation, status: "CANCELLED" }, business.doc.timezone);
  });
}

/** @throws AppError resource_not_found */
export function getReservation(rt: Runtime, businessId: string, id: string): Reservation {
  const reservation = rt.store.reservations.findById(businessId, id);
  if (reservation) return reservation;
  throw new AppError("resource_not_found", `There is no reservation '${id}'.`, {
    fix: "deskbell reservations list",
  });
}
