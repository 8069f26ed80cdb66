import type { z } from "zod";
import { toPublicVisit, type Visit } from "./visit.ts";
import { eventDraft, type EventDraft } from "../events/envelope.ts";
import { differingFields } from "../equality.ts";
import type { reservation } from "../public/schemas/bookings.ts";

export type Reservation = Visit & {
  partySize: number;
  areaId: string | null;
  tableId: string;
};

export type PublicReservation = z.infer<typeof reservation>;

export const toPublicReservation = (
  reservation: Reservation,
  timezone: string,
): PublicReservation => ({
  ...toPublicVisit(reservation, timezone),
  partySize: reservation.partySize,
  areaId: reservation.areaId,
  tableId: reservation.tableId,
});

export const reservationCreatedEvent = (object: PublicReservation): EventDraft =>
  eventDraft("reservation.created", "all", object, [object.id]);

/**
 * Returns the event of a changed reservation. All flags of `data.changed` are false if no flag
 * covers the field that changed, such as `customerRef`.
 */
export const reservationUpdatedEvent = (
  before: PublicReservation,
  after: PublicReservation,
): EventDraft =>
  eventDraft("reservation.updated", differingFields(flagValues(before), flagValues(after)), after, [
    after.id,
  ]);

export const reservationCancelledEvent = (object: PublicReservation): EventDraft =>
  eventDraft("reservation.cancelled", ["status"], object, [object.id]);

/** Returns the values that each flag of `data.changed` covers. */
const flagValues = ({ status, partySize, ...reservation }: PublicReservation) => ({
  status,
  schedule: [reservation.startsAt, reservation.endsAt],
  table: [reservation.areaId, reservation.tableId],
  partySize,
});
