import { AppError } from "../../domain/errors.ts";
import {
  type PublicReservation,
  toPublicReservation,
  type Reservation,
  reservationCreatedEvent,
} from "../../domain/bookings/reservation.ts";
import { parseReservationRequest } from "../../domain/bookings/reservation-request.ts";
import type { Runtime } from "../runtime.ts";
import { planReservation } from "./plan-booking.ts";
import { getBusiness } from "../businesses.ts";
import { appendEvents } from "../events.ts";

/**
 * Gives a party a table that is free at this moment, in the transaction that looks.
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
    const shown = toPublicReservation(reservation, business.doc.timezone);
    appendEvents(rt, business, [reservationCreatedEvent(shown)]);
    return shown;
  });
}

/**
 * Frees the table. Partners are not told: the spec has no name for it.
 * @throws AppError resource_not_found, conflict
 */
export function cancelReservation(rt: Runtime, slug: string, id: string): PublicReservation {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const reservation = getReservation(rt, business.id, id);
    if (reservation.status !== "CONFIRMED" && reservation.status !== "PENDING")
      throw new AppError("conflict", `Reservation ${reservation.id} is ${reservation.status}.`);
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
