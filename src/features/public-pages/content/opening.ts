import { hoursOn, type WallHours } from "../../../domain/availability/open-hours.ts";
import { DAY_MIN, dateOf, dayAt, localDays } from "../../../domain/availability/wall-clock.ts";
import { createWorkingTimeReader } from "../../../domain/availability/working-time.ts";
import type { Closure, ScheduleDoc } from "../../../domain/catalog/catalog.ts";
import type { LocalDate } from "../../../domain/catalog/common.ts";

// Pages say whether the business is open now, and which days have unusual hours.

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

export type OpeningState = {
  /** Whether the business is open now; null if it states no opening hours. */
  isOpen: boolean | null;
  /**
   * When an open business closes, or a closed business opens (epoch ms). Null for a closing time
   * more than a day from now, because pages write closing times without a day. Null for an opening
   * time more than 13 days from now.
   */
  changesAt: number | null;
  /**
   * When a page with this state is out of date (epoch ms): at midnight at the latest, because the
   * page marks the present day.
   */
  validUntil: number;
};

const DAYS_AHEAD = 14;

export function readOpeningState(
  schedule: ScheduleDoc,
  timezone: string,
  now: number,
): OpeningState {
  const minute = Math.floor(now / MINUTE_MS);
  const today = dayAt(timezone, minute);
  // The days begin two days ago: opening hours can end at 48:00 of the day before, and one more day
  // allows for a clock change.
  const days = localDays(timezone, today - 2, today + DAYS_AHEAD);
  const { work } = createWorkingTimeReader(schedule, days)();
  const current = work.find(({ start, end }) => start <= minute && minute < end);
  const change = current ? current.end : work.find(({ start }) => start > minute)?.start;
  // Hours without an end seem to end with the last day that was read. That day is after the
  // horizon, so the end is not shown.
  const horizon = minute + (DAYS_AHEAD - 1) * DAY_MIN;
  const midnight = Temporal.PlainDate.from(dateOf(today + 1)).toZonedDateTime(timezone);
  const next = change === undefined || change > horizon ? null : change * MINUTE_MS;
  /** When pages begin to show the change: a day before a closing time, else now. */
  const saidFrom = next === null || current === undefined ? now : next - DAY_MS;
  return {
    isOpen: schedule.hours.length === 0 && work.length === 0 ? null : current !== undefined,
    changesAt: saidFrom > now ? null : next,
    validUntil: Math.min(
      saidFrom > now ? saidFrom : (next ?? Infinity),
      midnight.epochMilliseconds,
    ),
  };
}

/** The days `from` to `to`, inclusive, with unusual hours; `hours` is empty for closed days. */
export type SpecialDays = {
  from: LocalDate;
  to: LocalDate;
  name: string | null;
  hours: WallHours[];
};

const SPECIAL_DAYS_AHEAD = 60;

/** Returns the closures and exceptions of the next SPECIAL_DAYS_AHEAD days, in order of time. */
export function listSpecialDays(
  schedule: ScheduleDoc,
  timezone: string,
  now: number,
): SpecialDays[] {
  const first = dayAt(timezone, Math.floor(now / MINUTE_MS));
  const last = first + SPECIAL_DAYS_AHEAD;
  const closed = schedule.closures.flatMap((closure): SpecialDays[] =>
    daysOf(closure, first, last).map((days) => ({ ...days, name: closure.name, hours: [] })),
  );
  const isClosed = (date: LocalDate) => closed.some(({ from, to }) => from <= date && date <= to);
  const exceptions = [...new Set(schedule.exceptions.map(({ date }) => date))]
    .filter((date) => dateOf(first) <= date && date <= dateOf(last) && !isClosed(date))
    .map((date): SpecialDays => ({
      from: date,
      to: date,
      name: null,
      hours: hoursOn(schedule, timezone, date),
    }));
  return [...closed, ...exceptions].sort((a, b) => a.from.localeCompare(b.from));
}

/** Returns the days of a closure, if one of them is among the days `first` to `last`. */
function daysOf(
  closure: Closure,
  first: number,
  last: number,
): { from: LocalDate; to: LocalDate }[] {
  if (!("yearly" in closure)) {
    const { from, to } = closure;
    return to < dateOf(first) || from > dateOf(last) ? [] : [{ from, to }];
  }
  // The days are searched one by one, because a closure of 29 February has no day in most years.
  return Array.from({ length: last - first + 1 }, (_, i) => dateOf(first + i))
    .filter((date) => date.slice(5) === closure.yearly)
    .map((date) => ({ from: date, to: date }));
}
