import type { DayNumber } from "../availability/wall-clock.ts";

// How much of the free time of a business the visitors of one API key can hold together.

const WEEK_DAYS = 7;
const MAX_WEEK_SHARE = 0.1;
const MAX_DAY_SHARE = 0.5;

/** Minutes of each day. */
export type DayMinutes = ReadonlyMap<DayNumber, number>;

/** The days whose free time decides about a hold on `day`. */
export const shareDays = (today: DayNumber, day: DayNumber) => ({
  first: Math.max(today, day - WEEK_DAYS + 1),
  last: day + WEEK_DAYS - 1,
});

/**
 * Returns whether `minutes` more on `day` keep within a tenth of the free time of each seven days in
 * a row from today on. A single hold always does, because a tenth of a short week may be none.
 */
export function fitsWeek(
  { today, free, held }: { today: DayNumber; free: DayMinutes; held: DayMinutes },
  day: DayNumber,
  minutes: number,
): boolean {
  for (let { first } = shareDays(today, day); first <= day; first += 1) {
    const heldOfWeek = sumOfWeek(held, first);
    if (heldOfWeek > 0 && heldOfWeek + minutes > sumOfWeek(free, first) * MAX_WEEK_SHARE)
      return false;
  }
  return true;
}

/** Returns the same for half of a day of one staff member or table. */
export const fitsDay = (freeMin: number, heldMin: number, minutes: number): boolean =>
  heldMin === 0 || heldMin + minutes <= freeMin * MAX_DAY_SHARE;

function sumOfWeek(minutes: DayMinutes, first: DayNumber): number {
  let sum = 0;
  for (let day = first; day < first + WEEK_DAYS; day += 1) sum += minutes.get(day) ?? 0;
  return sum;
}
