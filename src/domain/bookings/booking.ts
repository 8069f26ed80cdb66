import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import { eventDraft, type EventDraft } from "../events/envelope.ts";
import { differingFields } from "../equality.ts";
import { toPublicVisit, type Visit } from "./visit.ts";
import type { booking } from "../public/schemas/bookings.ts";

export type Booking = Visit & {
  guests: number;
  totalCents: number;
  currency: string;
  currencyDigits: number;
  segments: BookedSegment[];
};

/** A booked service. Times are epoch milliseconds. */
export type BookedSegment = {
  serviceId: string;
  /** The names are those at the time of booking; null if an earlier deskbell stored none. */
  serviceName: string | null;
  variantId: string | null;
  variantName: string | null;
  addons: { addonId: string; quantity: number }[];
  /** null: the service needs no staff. */
  staffId: string | null;
  staffName: string | null;
  resources: { resourceId: string; units: number }[];
  seats: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  startsAt: number;
  endsAt: number;
  /** The price per guest. */
  priceCents: number;
};

export type PublicBooking = z.infer<typeof booking>;

export const toPublicSegment = (
  segment: BookedSegment,
  timezone: string,
): PublicBooking["segments"][number] => ({
  serviceId: segment.serviceId,
  variantId: segment.variantId,
  addons: segment.addons,
  staffId: segment.staffId,
  startsAt: formatInstant(segment.startsAt, timezone),
  endsAt: formatInstant(segment.endsAt, timezone),
  priceCents: segment.priceCents,
  serviceName: segment.serviceName,
  variantName: segment.variantName,
  staffName: segment.staffName,
});

export const toPublicBooking = (booking: Booking, timezone: string): PublicBooking => ({
  ...toPublicVisit(booking, timezone),
  segments: booking.segments.map((segment) => toPublicSegment(segment, timezone)),
  guests: booking.guests,
  totalCents: booking.totalCents,
  currency: booking.currency,
});

export const bookingCreatedEvent = (object: PublicBooking): EventDraft =>
  eventDraft("booking.created", "all", object, [object.id]);

/**
 * Returns the event of a changed booking. All flags of `data.changed` are false if no flag covers
 * the field that changed, such as `customerRef`.
 */
export const bookingUpdatedEvent = (before: PublicBooking, after: PublicBooking): EventDraft =>
  eventDraft("booking.updated", differingFields(flagValues(before), flagValues(after)), after, [
    after.id,
  ]);

export const bookingCancelledEvent = (object: PublicBooking): EventDraft =>
  eventDraft("booking.cancelled", ["status"], object, [object.id]);

/** Returns the values that each flag of `data.changed` covers. */
const flagValues = ({ status, segments, guests, totalCents, ...booking }: PublicBooking) => ({
  status,
  schedule: [
    booking.startsAt,
    booking.endsAt,
    segments.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  ],
  staff: segments.map(({ staffId }) => staffId),
  services: segments.map(({ serviceId, variantId, addons }) => [serviceId, variantId, addons]),
  guests,
  price: [totalCents, segments.map(({ priceCents }) => priceCents)],
});
