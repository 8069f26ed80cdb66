import type { ScheduleDoc, StaffDoc } from "../catalog/catalog.ts";
import type { LocalDate } from "../catalog/common.ts";
import { subtract } from "./intervals.ts";
import { DAY_MIN, dayNumber, localDays, wallAt } from "./wall-clock.ts";
import { closureIntervals, createWorkingTimeReader } from "./working-time.ts";

/** Hours of one date in minutes after its midnight; more than 1440 is on the next day. */
export type WallHours = { start: number; end: number };

/**
 * Returns when the business is open on a date, or when a person works, after closures and
 * exceptions are applied.
 */
export function hoursOn(
  schedule: ScheduleDoc,
  timezone: string,
  date: LocalDate,
  person: StaffDoc | null = null,
): WallHours[] {
  const day = dayNumber(date);
  const readWorkingTime = createWorkingTimeReader(schedule, localDays(timezone, day, day));
  const { work } = readWorkingTime(person);
  // The hours of the date can end at 48:00, so they can overlap a closure of the next day. The
  // closure ends them at midnight.
  const nextDay = localDays(timezone, day + 1, day + 1);
  const open = subtract(work, closureIntervals(schedule.closures, nextDay));
  const toWall = (minute: number): number => wallAt(timezone, minute) - day * DAY_MIN;
  return open.map(({ start, end }) => ({ start: toWall(start), end: toWall(end) }));
}
