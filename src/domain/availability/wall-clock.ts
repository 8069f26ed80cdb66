import { DAY_MIN, type DayNumber } from "./calendar.ts";
import type { Interval } from "./intervals.ts";

/*
 * Wall clock -> instants (epoch minutes). DST only ever removes availability: a time that the clocks skip shortens what is
 * open and lengthens what is closed, one that they repeat is open for as little and closed for as long as it may mean.
 */

/** Minutes after the midnight of 1970-01-01 on a clock that hangs in the zone. */
export type WallMinute = number;

/** A stretch of time without a change of clocks, half-open. */
type Era = Interval & { offsetMin: number };

const MINUTE_MS = 60_000;

// No zone has ever been more than a day from UTC, nor have clocks ever been moved by more.
const REACH_MIN = DAY_MIN;

const erasByZone = new Map<string, Era[]>();

function eraAt(timezone: string, minute: number): Era {
  let eras = erasByZone.get(timezone);
  if (eras === undefined) erasByZone.set(timezone, (eras = []));
  const known = eras.find(({ start, end }) => start <= minute && minute < end);
  if (known !== undefined) return known;
  const moment = Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS).toZonedDateTimeISO(
    timezone,
  );
  // "previous" means strictly before.
  const begin = moment.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  const end = moment.getTimeZoneTransition("next");
  const era = {
    start: begin === null ? -Infinity : begin.epochMilliseconds / MINUTE_MS,
    end: end === null ? Infinity : end.epochMilliseconds / MINUTE_MS,
    offsetMin: Math.round(moment.offsetNanoseconds / (MINUTE_MS * 1_000_000)),
  };
  eras.push(era);
  return era;
}

export const wallAt = (timezone: string, minute: number): WallMinute =>
  minute + eraAt(timezone, minute).offsetMin;

export const offsetAt = (timezone: string, minute: number): number =>
  eraAt(timezone, minute).offsetMin;

export const dayAt = (timezone: string, minute: number): DayNumber =>
  Math.floor(wallAt(timezone, minute) / DAY_MIN);

/** What a wall-clock time means: one instant, two where clocks go back over it, or none where they skip it. */
type Reading = {
  first: number;
  last: number;
  /** Set where clocks skip the time: when they do, and where they would have reached it had they not. */
  gap: { transition: number; shifted: number } | undefined;
};

function readingOf(timezone: string, wall: WallMinute): Reading {
  let era = eraAt(timezone, wall - REACH_MIN);
  let passed: Era | undefined;
  let reading: Reading | undefined;
  for (;;) {
    const minute = wall - era.offsetMin;
    if (minute >= era.end) passed = era;
    else if (minute >= era.start)
      reading = { first: reading?.first ?? minute, last: minute, gap: undefined };
    if (era.end > wall + REACH_MIN) break;
    era = eraAt(timezone, era.end);
  }
  if (reading !== undefined) return reading;
  if (passed === undefined)
    throw new Error(`No instant and no change of clocks for ${wall} in ${timezone}.`);
  const shifted = wall - passed.offsetMin;
  return { first: shifted, last: shifted, gap: { transition: passed.end, shifted } };
}

/** Every instant at which the clock shows this, in order. */
export function instantsOf(timezone: string, wall: WallMinute): number[] {
  const { first, last, gap } = readingOf(timezone, wall);
  if (gap !== undefined) return [];
  return first === last ? [first] : [first, last];
}

/** A date that the zone skipped when it crossed the date line (Apia, 2011-12-30). */
export function dateExists(timezone: string, day: DayNumber): boolean {
  const { gap } = readingOf(timezone, day * DAY_MIN);
  return gap === undefined || wallAt(timezone, gap.transition) < (day + 1) * DAY_MIN;
}

/** Hours that a business or a person keeps. */
export function openInterval(timezone: string, from: WallMinute, to: WallMinute): Interval {
  const end = readingOf(timezone, to);
  return { start: readingOf(timezone, from).first, end: end.gap?.transition ?? end.first };
}

/** Hours taken away: breaks, closures, hours that an exception removes. */
export function closedInterval(timezone: string, from: WallMinute, to: WallMinute): Interval {
  const start = readingOf(timezone, from);
  return { start: start.gap?.transition ?? start.first, end: readingOf(timezone, to).last };
}
