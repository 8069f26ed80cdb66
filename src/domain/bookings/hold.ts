import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import type { hold } from "../public/schemas/bookings.ts";
import { toPublicSegment, type BookedSegment } from "./booking.ts";

/** A time or table that an API key holds for a few minutes, on the terms of the moment. */
export type Hold = {
  id: string;
  keyId: string;
  /** HMAC of the visitor that the key names; null: none, or older than a day. */
  visitor: Buffer | null;
  status: "OPEN" | "USED" | "RELEASED";
  startsAt: number;
  endsAt: number;
  /** The segments of a visit; empty for a table. */
  segments: BookedSegment[];
  /** Guests of the visit, or the size of the party. */
  guests: number;
  areaId: string | null;
  /** null: a hold of a visit. */
  tableId: string | null;
  totalCents: number;
  currency: string;
  currencyDigits: number;
  requiresApproval: boolean;
  cancelUntil: number;
  bookingId: string | null;
  reservationId: string | null;
  expiresAt: number;
  createdAt: number;
};

export type PublicHold = z.infer<typeof hold>;

/** Nothing is written when a hold expires, so its status depends on the time. */
export const holdStatus = ({ status, expiresAt }: Hold, now: number): PublicHold["status"] =>
  status === "OPEN" && expiresAt <= now ? "EXPIRED" : status;

export const toPublicHold = (row: Hold, timezone: string, now: number): PublicHold => ({
  id: row.id,
  status: holdStatus(row, now),
  expiresAt: formatInstant(row.expiresAt, timezone),
  startsAt: formatInstant(row.startsAt, timezone),
  endsAt: formatInstant(row.endsAt, timezone),
  segments: row.segments.map((segment) => toPublicSegment(segment, timezone)),
  guests: row.guests,
  areaId: row.areaId,
  tableId: row.tableId,
  totalCents: row.totalCents,
  currency: row.currency,
  bookingId: row.bookingId,
  reservationId: row.reservationId,
});
