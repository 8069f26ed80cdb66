import type { Day, LocalDate } from "../catalog/catalog.ts";
import { type DayNumber, dateOf, weekdayOf } from "./calendar.ts";
import { dateExists } from "./wall-clock.ts";

export type LocalDay = { day: DayNumber; date: LocalDate; weekday: Day; timezone: string };

/** The days from first to last, without dates that the zone skipped. */
export function localDays(timezone: string, first: DayNumber, last: DayNumber): LocalDay[] {
  const days: LocalDay[] = [];
  for (let day = first; day <= last; day += 1)
    if (dateExists(timezone, day))
      days.push({ day, date: dateOf(day), weekday: weekdayOf(day), timezone });
  return days;
}
