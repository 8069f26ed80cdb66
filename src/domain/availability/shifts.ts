import type { HoursException, HoursRule } from "../catalog/catalog.ts";
import { DAY_MIN, wallMinutes } from "./calendar.ts";
import type { LocalDay } from "./local-days.ts";
import { type Interval, merge, subtract } from "./intervals.ts";
import { closedInterval, openInterval } from "./wall-clock.ts";

/** The shifts that start on a date. */
export type Shifts = (day: LocalDay) => Interval[];

export const weeklyShifts =
  (rules: readonly HoursRule[]): Shifts =>
  (day) =>
    merge(
      rules
        .filter(
          ({ days, validFrom, validTo }) =>
            days.includes(day.weekday) &&
            (validFrom === null || validFrom <= day.date) &&
            (validTo === null || day.date <= validTo),
        )
        .map((rule) => openWindow(rule, day)),
    );

/** Exceptions for a date apply in this order: REPLACE, ADD, REMOVE. */
export function shiftsWithExceptions(usual: Shifts, exceptions: readonly HoursException[]): Shifts {
  const byDate = Map.groupBy(exceptions, ({ date }) => date);
  return (day) => {
    const exceptionsOfDay = byDate.get(day.date);
    if (exceptionsOfDay === undefined) return usual(day);
    const intervalsOf = (mode: HoursException["mode"]) =>
      exceptionsOfDay
        .filter((exception) => exception.mode === mode)
        .flatMap(({ intervals }) => intervals);
    const replaced = exceptionsOfDay.some(({ mode }) => mode === "REPLACE");
    const kept = replaced
      ? intervalsOf("REPLACE").map((interval) => openWindow(interval, day))
      : usual(day);
    const added = intervalsOf("ADD").map((interval) => openWindow(interval, day));
    return subtract(
      merge([...kept, ...added]),
      merge(intervalsOf("REMOVE").map((interval) => closedWindow(interval, day))),
    );
  };
}

type WallWindow = HoursException["intervals"][number];

const openWindow = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  openInterval(timezone, day * DAY_MIN + wallMinutes(start), day * DAY_MIN + wallMinutes(end));

export const closedWindow = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  closedInterval(timezone, day * DAY_MIN + wallMinutes(start), day * DAY_MIN + wallMinutes(end));
