import type { Day, LocalDate, WallTime } from "../catalog/catalog.ts";

/** Days since 1970-01-01, independent of any time zone. */
export type DayNumber = number;

export const DAY_MIN = 1440;
const DAY_MS = 86_400_000;

export const dayNumber = (date: LocalDate): DayNumber =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) /
  DAY_MS;

export const dateOf = (day: DayNumber): LocalDate =>
  new Date(day * DAY_MS).toISOString().slice(0, 10);

// 1970-01-01 was a Thursday.
const WEEK: readonly Day[] = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"];

export const weekdayOf = (day: DayNumber): Day => WEEK[((day % 7) + 7) % 7] ?? "thu";

/** Minutes after midnight; `26:00` is 1560. */
export const wallMinutes = (time: WallTime): number =>
  Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
