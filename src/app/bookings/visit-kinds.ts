import {
  type Booking,
  bookingCancelledEvent,
  bookingUpdatedEvent,
} from "../../domain/bookings/booking.ts";
import {
  type Reservation,
  reservationCancelledEvent,
  reservationUpdatedEvent,
  toPublicReservation,
} from "../../domain/bookings/reservation.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { EventDraft } from "../../domain/events/envelope.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { VisitListFilter } from "../../store/bookings/visit-lists.ts";
import type { PendingVisit } from "../../store/bookings/visits.ts";
import type { Runtime } from "../runtime.ts";
import { toPartnerBooking } from "./access.ts";

/** The functions that differ between bookings and reservations. */
export type VisitKind<Row extends Visit> = {
  noun: "booking" | "reservation";
  /** Returns a text such as `a booking of Cut, Colour`, without guest data. */
  describe: (row: Row) => string;
  store: (rt: Runtime) => {
    findById: (businessId: string, id: string, createdByKey?: string | null) => Row | undefined;
    listPage: (filter: VisitListFilter, limit: number) => Row[];
    update: (row: Row) => void;
    reschedule: (businessId: string, row: Row) => void;
    getLastChange: (businessId: string) => number;
    listPending: (limit: number) => PendingVisit[];
    listOverdue: (businessId: string, now: number) => string[];
    listBusinessesWithOverdue: (now: number) => string[];
  };
  updatedEvent: (rt: Runtime, business: BusinessRow, before: Row, after: Row) => EventDraft;
  cancelledEvent: (rt: Runtime, business: BusinessRow, row: Row) => EventDraft;
};

export const BOOKING: VisitKind<Booking> = {
  noun: "booking",
  describe: ({ segments }) =>
    `a booking of ${segments
      .map(({ serviceName }) => serviceName)
      .filter((name) => name !== null)
      .join(", ")}`,
  store: (rt) => rt.store.bookings,
  updatedEvent: (rt, business, before, after) =>
    bookingUpdatedEvent(
      toPartnerBooking(rt, business, before),
      toPartnerBooking(rt, business, after),
    ),
  cancelledEvent: (rt, business, row) => bookingCancelledEvent(toPartnerBooking(rt, business, row)),
};

export const RESERVATION: VisitKind<Reservation> = {
  noun: "reservation",
  describe: ({ partySize }) => `a table for ${partySize}`,
  store: (rt) => rt.store.reservations,
  updatedEvent: (_rt, { doc: { timezone } }, before, after) =>
    reservationUpdatedEvent(
      toPublicReservation(before, timezone),
      toPublicReservation(after, timezone),
    ),
  cancelledEvent: (_rt, { doc }, row) =>
    reservationCancelledEvent(toPublicReservation(row, doc.timezone)),
};
