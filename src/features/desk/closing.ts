import type { ChangeResult } from "../../app/catalog/changes/plan-change.ts";
import { restoreDateHours, updateDateHours } from "../../app/catalog/schedule.ts";
import { getBusiness } from "../../app/businesses.ts";
import type { Runtime } from "../../app/runtime.ts";
import { type Interval, subtract } from "../../domain/availability/intervals.ts";
import {
  DAY_MIN,
  dateOf,
  dayAt,
  dayNumber,
  localDays,
  wallAt,
} from "../../domain/availability/wall-clock.ts";
import { createWorkingTimeReader } from "../../domain/availability/working-time.ts";
import type { OpeningException, ScheduleDoc } from "../../domain/catalog/catalog.ts";
import { deepEqual } from "../../domain/equality.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { RefusalCode } from "./rules.ts";
import { type ClosingRow, createClosingStore } from "./store.ts";

const MINUTE_MS = 60_000;

/** The day whose opening hours apply now; `shifts` and `nowMin` are minutes since its start. */
type OpenDay = { date: string; shifts: Interval[]; nowMin: number };

/**
 * Returns yesterday if its opening hours run past midnight, as in a bar, and have not ended yet.
 * Otherwise returns today.
 */
function findOpenDay(schedule: ScheduleDoc, timezone: string, now: number): OpenDay {
  const minute = Math.floor(now / MINUTE_MS);
  const today = dayAt(timezone, minute);
  // Opening hours can end at 48:00, so the days before today are read too. The shifts are not
  // merged, because merging would join yesterday's hours and today's if they meet at midnight.
  const { unmergedShifts, closures } = createWorkingTimeReader(
    schedule,
    localDays(timezone, today - 2, today + 2),
  )();
  const shifts = subtract(unmergedShifts, closures);
  const current = shifts.find(({ start, end }) => start <= minute && minute < end);
  const day = current === undefined ? today : dayAt(timezone, current.start);
  const inDay = (at: number) => wallAt(timezone, at) - day * DAY_MIN;
  return {
    date: dateOf(day),
    shifts: shifts
      .filter(({ start }) => dayAt(timezone, start) === day)
      .map(({ start, end }) => ({ start: inDay(start), end: inDay(end) })),
    nowMin: inDay(minute),
  };
}

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** A refused closing, with the code of the text that the people in the shop read. */
export class ClosingError extends AppError {
  readonly refusal: RefusalCode;

  constructor(code: ErrorCode, refusal: RefusalCode, message: string) {
    super(code, message);
    this.refusal = refusal;
  }
}

/**
 * Closes the business from now on, for the rest of the opening hours or until a time. Visits stay.
 * @param until a time such as `15:30`; null for the rest of the hours
 * @throws ClosingError conflict if the business is not open any more, validation_failed if `until`
 * is invalid or over, or if the business would open again after midnight
 */
export const closeFromNow = (rt: Runtime, slug: string, until: string | null): ChangeResult =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { schedule, doc } = business;
    const { date, shifts, nowMin } = findOpenDay(schedule, doc.timezone, rt.now());
    // The end is -Infinity on a day without shifts.
    const endMin = Math.max(...shifts.map(({ end }) => end));
    const untilMin = until === null ? Infinity : parseClock(until, nowMin, endMin);
    const remaining = subtract(shifts, [{ start: nowMin, end: untilMin }]);
    const closesNothing = totalMinutes(remaining) === totalMinutes(shifts);
    if (closesNothing)
      throw new ClosingError("conflict", "not_open", "The business is not open at this time.");
    const result = updateDateHours(rt, slug, date, remaining.map(toHours));
    recordClosing(rt, business, date);
    return result;
  });

const exceptionsOf = ({ schedule }: BusinessRow, date: string): OpeningException[] =>
  schedule.exceptions.filter((one) => one.date === date);

/**
 * Stores the opening hours that a closing has replaced. If the day was closed several times, the
 * stored hours are those before the first closing.
 */
function recordClosing(rt: Runtime, business: BusinessRow, date: string): void {
  const before = findClosing(rt, business, date)?.before ?? exceptionsOf(business, date);
  const closed = exceptionsOf(getBusiness(rt, business.slug), date);
  rt.openStore(createClosingStore).save({ businessId: business.id, date, before, closed });
}

/**
 * Returns the closing of a date; undefined if there is none, or if the hours of the date were
 * changed later, for example by a catalog file.
 */
function findClosing(rt: Runtime, business: BusinessRow, date: string): ClosingRow | undefined {
  const closing = rt.openStore(createClosingStore).find(business.id, date);
  return closing && deepEqual(closing.closed, exceptionsOf(business, date)) ? closing : undefined;
}

const totalMinutes = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * Returns the time in minutes from the midnight of the open day.
 * @param endMin when the business closes
 */
function parseClock(text: string, nowMin: number, endMin: number): number {
  const [, hours, minutes] = CLOCK.exec(text) ?? [];
  const minuteOfDay = Number(hours) * 60 + Number(minutes);
  if (Number.isNaN(minuteOfDay))
    throw new ClosingError("validation_failed", "invalid", "The time must be one such as 15:30.");
  if (minuteOfDay > nowMin) return minuteOfDay;
  // A shift of the open day may end after midnight but cannot begin then, so the business could not
  // open again at this time.
  const inNight = minuteOfDay + DAY_MIN;
  if (nowMin < inNight && inNight < endMin)
    throw new ClosingError(
      "validation_failed",
      "no_reopening",
      "The business cannot open again after midnight: close it for the rest of the night.",
    );
  // Midnight has passed, so the text means a later time of the same night.
  if (nowMin < inNight && nowMin >= DAY_MIN) return inNight;
  throw new ClosingError("validation_failed", "time_over", `${text} is over: choose a later time.`);
}

const twoDigits = (n: number) => String(n).padStart(2, "0");
/** Returns a time of the open day, such as `15:30`, or `25:30` for 1:30 in the night after it. */
const formatClock = (minute: number) =>
  `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`;
const toHours = ({ start, end }: Interval) => ({
  start: formatClock(start),
  end: formatClock(end),
});

/** Takes back the closing that `currentClosing` returns. */
export const reopen = (rt: Runtime, slug: string): ChangeResult =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    const closing = currentClosing(rt, business);
    // If the closing was already taken back, the empty text, which is no date, makes
    // `restoreDateHours` change nothing.
    if (closing === undefined) return restoreDateHours(rt, slug, "", []);
    return restoreDateHours(rt, slug, closing.date, closing.before);
  });

/** Until this minute of the day, the closing of yesterday can be taken back. */
const NIGHT_END_MIN = 6 * 60;

/** Returns the closing of today or, in the night, of yesterday; undefined if there is none. */
export function currentClosing(rt: Runtime, business: BusinessRow): ClosingRow | undefined {
  const { timezone } = business.doc;
  const today = localDateOf(rt.now(), timezone);
  const closing = findClosing(rt, business, today);
  const minuteOfDay = wallAt(timezone, Math.floor(rt.now() / MINUTE_MS)) % DAY_MIN;
  if (closing !== undefined || minuteOfDay >= NIGHT_END_MIN) return closing;
  return findClosing(rt, business, dateOf(dayNumber(today) - 1));
}
