import type { Closure, StaffDoc, WeeklyWindow } from "../catalog/catalog.ts";
import { DAY_MIN, dayNumber } from "./calendar.ts";
import type { LocalDay } from "./local-days.ts";
import { type Interval, merge } from "./intervals.ts";
import { closedWindow } from "./shifts.ts";
import { closedInterval } from "./wall-clock.ts";

const WHOLE_DAY = { start: "00:00", end: "24:00" };

export function closureIntervals(
  closures: readonly Closure[],
  days: readonly LocalDay[],
): Interval[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  return merge(
    closures.flatMap((closure) => {
      if ("yearly" in closure)
        return days
          .filter(({ date }) => date.slice(5) === closure.yearly)
          .map((day) => closedWindow(WHOLE_DAY, day));
      const from = Math.max(dayNumber(closure.from), first.day);
      const to = Math.min(dayNumber(closure.to), last.day);
      return from > to ? [] : [closedInterval(first.timezone, from * DAY_MIN, (to + 1) * DAY_MIN)];
    }),
  );
}

export const breakIntervals = (
  breaks: readonly WeeklyWindow[],
  days: readonly LocalDay[],
): Interval[] =>
  merge(
    days.flatMap((day) =>
      breaks
        .filter((window) => window.days.includes(day.weekday))
        .map((window) => closedWindow(window, day)),
    ),
  );

const MINUTE_MS = 60_000;

export const timeOffIntervals = (timeOff: StaffDoc["timeOff"]): Interval[] =>
  merge(
    timeOff.map(({ from, to }) => ({
      start: Math.floor(from / MINUTE_MS),
      end: Math.ceil(to / MINUTE_MS),
    })),
  );
