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
  createdAt: number;
  updatedAt: number;
};

export type PublicReservation = z.infer<typeof reservation>;

export const toPublicReservation = (
  { id, status, partySize, startsAt, endsAt, areaId, tableId, customerRef }: Reservation,
  timezone: string,
): PublicReservation => ({
  id,
  status,
  partySize,
  startsAt: formatInstant(startsAt, timezone),
  endsAt: formatInstant(endsAt, timezone),
  areaId,
  tableId,
  customerRef,
});

export const reservationCreatedEvent = (object: PublicReservation): EventDraft =>
  eventDraft("reservation.created", "all", object, [object.id]);
