import type { HoursException, HoursRule } from "../catalog/catalog.ts";
import { DAY_MIN, wallMinutes } from "./calendar.ts";
import type { LocalDay } from "./local-days.ts";
import { type Interval, merge, subtract } from "./intervals.ts";
import { closedInterval, openInterval } from "./wall-clock.ts";

/** When shifts begin and end, for each date on which they begin. */
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
        .map((rule) => opened(rule, day)),
    );

/** Of several exceptions for a date those that replace come first, then those that add, then those that remove. */
export function shiftsWithExceptions(usual: Shifts, exceptions: readonly HoursException[]): Shifts {
  const byDate = Map.groupBy(exceptions, ({ date }) => date);
  return (day) => {
    const ofDay = byDate.get(day.date);
    if (ofDay === undefined) return usual(day);
    const read = (mode: HoursException["mode"]) =>
      ofDay.filter((exception) => exception.mode === mode).flatMap(({ intervals }) => intervals);
    const replaced = ofDay.some(({ mode }) => mode === "REPLACE");
    const kept = replaced ? read("REPLACE").map((interval) => opened(interval, day)) : usual(day);
    const added = read("ADD").map((interval) => opened(interval, day));
    return subtract(
      merge([...kept, ...added]),
      merge(read("REMOVE").map((interval) => closedWindow(interval, day))),
    );
  };
}

type WallWindow = HoursException["intervals"][number];

const opened = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  openInterval(timezone, day * DAY_MIN + wallMinutes(start), day * DAY_MIN + wallMinutes(end));

export const closedWindow = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  closedInterval(timezone, day * DAY_MIN + wallMinutes(start), day * DAY_MIN + wallMinutes(end));
