import type { ScheduleDoc } from "../catalog/catalog.ts";
import type { LocalDate } from "../catalog/common.ts";
import { DAY_MIN, dayNumber, localDays, wallAt } from "./wall-clock.ts";
import { createWorkingTimeReader } from "./working-time.ts";

/** Hours of one date in minutes after its midnight; more than 1440 is on the next day. */
export type WallHours = { start: number; end: number };

/** Returns when the business is open on a date, with its closures and exceptions. */
export function hoursOn(schedule: ScheduleDoc, timezone: string, date: LocalDate): WallHours[] {
  const day = dayNumber(date);
  const { work } = createWorkingTimeReader(schedule, localDays(timezone, day, day))();
  const toWall = (minute: number): number => wallAt(timezone, minute) - day * DAY_MIN;
  return work.map(({ start, end }) => ({ start: toWall(start), end: toWall(end) }));
}
