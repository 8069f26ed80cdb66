import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import { eventDraft, type EventDraft } from "../envelope.ts";
import type { booking } from "../public/schemas/bookings.ts";

export type VisitStatus = PublicBooking["status"];

export type Booking = {
  id: string;
  status: VisitStatus;
  startsAt: number;
  endsAt: number;
  guests: number;
  totalCents: number;
  currency: string;
  currencyDigits: number;
  customerRef: string | null;
  /** 1, and one more with each change. */
  version: number;
  createdAt: number;
  updatedAt: number;
  segments: BookedSegment[];
};

export type BookedSegment = {
  serviceId: string;
  variantId: string | null;
  addons: { addonId: string; quantity: number }[];
  /** null: the service needs no staff. */
  staffId: string | null;
  resources: { resourceId: string; units: number }[];
  seats: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  startsAt: number;
  endsAt: number;
  /** Per guest. */
  priceCents: number;
};

export type PublicBooking = z.infer<typeof booking>;

export const toPublicBooking = (booking: Booking, timezone: string): PublicBooking => ({
  id: booking.id,
  status: booking.status,
  startsAt: formatInstant(booking.startsAt, timezone),
  endsAt: formatInstant(booking.endsAt, timezone),
  segments: booking.segments.map(
    ({ serviceId, variantId, addons, staffId, startsAt, endsAt, priceCents }) => ({
      serviceId,
      variantId,
      addons,
      staffId,
      startsAt: formatInstant(startsAt, timezone),
      endsAt: formatInstant(endsAt, timezone),
      priceCents,
    }),
  ),
  guests: booking.guests,
  totalCents: booking.totalCents,
  currency: booking.currency,
  customerRef: booking.customerRef,
  version: booking.version,
});

export const bookingCreatedEvent = (object: PublicBooking): EventDraft =>
  eventDraft("booking.created", "all", object, [object.id]);
