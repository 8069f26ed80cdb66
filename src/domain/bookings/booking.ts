import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import { eventDraft, type EventDraft } from "../envelope.ts";
import { differingFields } from "../equality.ts";
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

/** No flag is set if only a value without one has changed, for example `customerRef`. */
export const bookingUpdatedEvent = (before: PublicBooking, after: PublicBooking): EventDraft =>
  eventDraft("booking.updated", differingFields(flagValues(before), flagValues(after)), after, [
    after.id,
  ]);

export const bookingCancelledEvent = (object: PublicBooking): EventDraft =>
  eventDraft("booking.cancelled", ["status"], object, [object.id]);

/** The values that each flag of `data.changed` covers. */
const flagValues = ({ status, segments, guests, totalCents, ...times }: PublicBooking) => ({
  status,
  schedule: [
    times.startsAt,
    times.endsAt,
    segments.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  ],
  staff: segments.map(({ staffId }) => staffId),
  services: segments.map(({ serviceId, variantId, addons }) => [serviceId, variantId, addons]),
  guests,
  price: [totalCents, segments.map(({ priceCents }) => priceCents)],
});
