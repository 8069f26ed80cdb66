import { type Weekday, type LocalDate, WEEK } from "../catalog/common.ts";
import type { Interval } from "./intervals.ts";

/*
 * Converts wall-clock times to instants (epoch minutes). A clock change never adds availability: a
 * skipped time shortens opening hours and lengthens closures; a repeated end time means its first
 * instant for opening hours and its last for closures.
 */

/** Days since 1970-01-01, independent of any time zone. */
export type DayNumber = number;

export const DAY_MIN = 1440;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MIN * MINUTE_MS;

export const dayNumber = (date: LocalDate): DayNumber =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) /
  DAY_MS;

export const dateOf = (day: DayNumber): LocalDate =>
  new Date(day * DAY_MS).toISOString().slice(0, 10);

// 1970-01-01 was a Thursday.
export const weekdayOf = (day: DayNumber): Weekday => WEEK.at((day + 3) % 7) as Weekday;

/** Minutes since 1970-01-01T00:00 on a clock in the zone. */
type WallMinute = number;

/** A period with a constant UTC offset. */
type OffsetPeriod = Interval & { offsetMin: number };

// No zone has been more than a day from UTC or moved its clocks by more than a day.
const MAX_OFFSET_MIN = DAY_MIN;

const periodsByZone = new Map<string, OffsetPeriod[]>();

function offsetPeriodAt(timezone: string, minute: number): OffsetPeriod {
  let periods = periodsByZone.get(timezone);
  if (periods === undefined) periodsByZone.set(timezone, (periods = []));
  const cached = periods.find(({ start, end }) => start <= minute && minute < end);
  if (cached !== undefined) return cached;
  const moment = Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS).toZonedDateTimeISO(
    timezone,
  );
  // A "previous" transition is strictly before the moment, so a nanosecond is added.
  const begin = moment.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  const end = moment.getTimeZoneTransition("next");
  const period = {
    start: begin === null ? -Infinity : begin.epochMilliseconds / MINUTE_MS,
    end: end === null ? Infinity : end.epochMilliseconds / MINUTE_MS,
    offsetMin: Math.round(moment.offsetNanoseconds / (MINUTE_MS * 1_000_000)),
  };
  periods.push(period);
  return period;
}

export const wallAt = (timezone: string, minute: number): WallMinute =>
  minute + offsetPeriodAt(timezone, minute).offsetMin;

export const dayAt = (timezone: string, minute: number): DayNumber =>
  Math.floor(wallAt(timezone, minute) / DAY_MIN);

/** A wall time is one instant, two if clocks repeat it, or none if they skip it. */
type WallTimeInstants = {
  first: number;
  last: number;
  /**
   * The instant of the clock change that skips the time; undefined if the time is not skipped. The
   * `first` and `last` of a skipped time are computed with the UTC offset before the clock change.
   */
  skippedAt: number | undefined;
};

function resolveWallTime(timezone: string, wall: WallMinute): WallTimeInstants {
  let period = offsetPeriodAt(timezone, wall - MAX_OFFSET_MIN);
  let previous: OffsetPeriod | undefined;
  let resolved: WallTimeInstants | undefined;
  for (;;) {
    const minute = wall - period.offsetMin;
    // The period ends before its clocks show the time. If no later period shows the time either,
    // the clock change at the end of the last such period skips the time.
    if (minute >= period.end) previous = period;
    else if (minute >= period.start)
      resolved = { first: resolved?.first ?? minute, last: minute, skippedAt: undefined };
    if (period.end > wall + MAX_OFFSET_MIN) break;
    period = offsetPeriodAt(timezone, period.end);
  }
  if (resolved !== undefined) return resolved;
  if (previous === undefined)
    throw new Error(`No instant and no clock change for wall minute ${wall} in ${timezone}.`);
  const shifted = wall - previous.offsetMin;
  return { first: shifted, last: shifted, skippedAt: previous.end };
}

/** Returns the instants of a wall time: two if clocks repeat it, and none if they skip it. */
export function instantsOf(timezone: string, wall: WallMinute): number[] {
  const { first, last, skippedAt } = resolveWallTime(timezone, wall);
  if (skippedAt !== undefined) return [];
  return first === last ? [first] : [first, last];
}

/** Returns false for a date that the zone skipped to cross the date line (Apia, 2011-12-30). */
export function dateExists(timezone: string, day: DayNumber): boolean {
  const { skippedAt } = resolveWallTime(timezone, day * DAY_MIN);
  // A date whose midnight is skipped exists if clocks still show it after the change.
  return skippedAt === undefined || wallAt(timezone, skippedAt) < (day + 1) * DAY_MIN;
}

/**
 * Returns the interval of opening hours or of a shift. A skipped time shortens it: a skipped start
 * moves past the clock change, and a skipped end back to it.
 */
export function openingInterval(timezone: string, from: WallMinute, to: WallMinute): Interval {
  const end = resolveWallTime(timezone, to);
  return { start: resolveWallTime(timezone, from).first, end: end.skippedAt ?? end.first };
}

/** Returns the interval of a break, of a closure, or of hours that an exception removes. */
export function closureInterval(timezone: string, from: WallMinute, to: WallMinute): Interval {
  const start = resolveWallTime(timezone, from);
  return { start: start.skippedAt ?? start.first, end: resolveWallTime(timezone, to).last };
}

/** Returns the time from the start of the first day to the end of the last. */
export const daysInterval = (timezone: string, first: DayNumber, last: DayNumber): Interval =>
  closureInterval(timezone, first * DAY_MIN, (last + 1) * DAY_MIN);

export type LocalDay = { day: DayNumber; date: LocalDate; weekday: Weekday; timezone: string };

/** Returns the days from `first` to `last`, except dates that the zone skipped. */
export function localDays(timezone: string, first: DayNumber, last: DayNumber): LocalDay[] {
  const days: LocalDay[] = [];
  for (let day = first; day <= last; day += 1)
    if (dateExists(timezone, day))
      days.push({ day, date: dateOf(day), weekday: weekdayOf(day), timezone });
  return days;
}

/** The last formatted date, because most minutes have the date of the minute before. */
let lastDate = { day: 0, text: "1970-01-01" };

/**
 * Returns a minute in RFC 3339 (`2026-11-23T09:00:00+00:00`) as formatInstant does, but fast enough
 * for thousands of minutes.
 */
export function formatMinute(minute: number, timezone: string): string {
  const offset = offsetPeriodAt(timezone, minute).offsetMin;
  const wall = minute + offset;
  const day = Math.floor(wall / DAY_MIN);
  if (lastDate.day !== day) lastDate = { day, text: dateOf(day) };
  const sign = offset < 0 ? "-" : "+";
  return `${lastDate.text}T${clock(wall - day * DAY_MIN)}:00${sign}${clock(Math.abs(offset))}`;
}

const twoDigits = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
const clock = (minutes: number): string =>
  `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
