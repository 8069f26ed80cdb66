import type { z } from "zod";
import { formatInstant } from "../local-time.ts";
import type { hold } from "../public/schemas/bookings.ts";
import { toPublicSegment, type BookedSegment } from "./booking.ts";
import type { DayNumber } from "../availability/wall-clock.ts";

/**
 * A time or table that an API key keeps for a few minutes, with the price and the rules that
 * applied when the hold was made. Times are epoch milliseconds.
 */
export type Hold = {
  id: string;
  keyId: string;
  /**
   * The HMAC of the visitor for whom the key holds the time; null if the key names no visitor, or
   * if the hold is older than a day.
   */
  visitor: Buffer | null;
  status: "OPEN" | "USED" | "RELEASED";
  startsAt: number;
  endsAt: number;
  /** The segments of a booking; empty for a table. */
  segments: BookedSegment[];
  /** Guests of the booking, or the size of the party. */
  guests: number;
  areaId: string | null;
  /** null if the hold is for a booking. */
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

/** Returns the status at `now`, because nothing is written when a hold expires. */
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

// The functions below limit how much of the free time of a business the visitors of one API key can
// hold together.

const WEEK_DAYS = 7;
const MAX_WEEK_SHARE = 0.1;
const MAX_DAY_SHARE = 0.5;

/** The free or held minutes of each day. */
export type DayMinutes = ReadonlyMap<DayNumber, number>;

/** Returns the first and last day whose free time decides about a hold on `day`. */
export const shareDays = (today: DayNumber, day: DayNumber) => ({
  first: Math.max(today, day - WEEK_DAYS + 1),
  last: day + WEEK_DAYS - 1,
});

/**
 * Returns whether another hold of `minutes` on `day` keeps all holds within a tenth of the free
 * time of any seven days in a row, from today on. The first hold always fits, because a tenth of
 * little free time may be too short for any visit.
 * @param quota the part of this tenth that all holds together may fill, from 0 to 1
 */
export function fitsWeek(
  { today, free, held }: { today: DayNumber; free: DayMinutes; held: DayMinutes },
  day: DayNumber,
  minutes: number,
  quota = 1,
): boolean {
  const share = MAX_WEEK_SHARE * quota;
  for (let { first } = shareDays(today, day); first <= day; first += 1) {
    const heldOfWeek = sumOfWeek(held, first);
    if (heldOfWeek > 0 && heldOfWeek + minutes > sumOfWeek(free, first) * share) return false;
  }
  return true;
}

/**
 * Returns whether another hold keeps all holds of one staff member or table within half of the free
 * time of a day. The first hold always fits.
 */
export const fitsDay = (freeMin: number, heldMin: number, minutes: number): boolean =>
  heldMin === 0 || heldMin + minutes <= freeMin * MAX_DAY_SHARE;

function sumOfWeek(minutes: DayMinutes, first: DayNumber): number {
  let sum = 0;
  for (let day = first; day < first + WEEK_DAYS; day += 1) sum += minutes.get(day) ?? 0;
  return sum;
}
