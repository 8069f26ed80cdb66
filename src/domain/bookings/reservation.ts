import type { z } from "zod";
import type { VisitStatus } from "./booking.ts";
import { formatInstant } from "../local-time.ts";
import { eventDraft, type EventDraft } from "../envelope.ts";
import type { reservation } from "../public/schemas/bookings.ts";

export type Reservation = {
  id: string;
  status: VisitStatus;
  partySize: number;
  startsAt: number;
  endsAt: number;
  areaId: string | null;
  tableId: string;
  customerRef: string | null;
  /** 1, and one more with each change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type PublicReservation = z.infer<typeof reservation>;

export const toPublicReservation = (
  reservation: Reservation,
  timezone: string,
): PublicReservation => ({
  id: reservation.id,
  status: reservation.status,
  partySize: reservation.partySize,
  startsAt: formatInstant(reservation.startsAt, timezone),
  endsAt: formatInstant(reservation.endsAt, timezone),
  areaId: reservation.areaId,
  tableId: reservation.tableId,
  customerRef: reservation.customerRef,
  version: reservation.version,
});

export const reservationCreatedEvent = (object: PublicReservation): EventDraft =>
  eventDraft("reservation.created", "all", object, [object.id]);
