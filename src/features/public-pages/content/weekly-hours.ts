import { WEEK, type Weekday } from "../../../domain/catalog/common.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import type { Shop } from "./content.ts";
import { dateIn } from "../format.ts";

/** The hours of a weekday, in minutes after midnight, the earliest first. */
type DayHours = { day: Weekday; hours: { start: number; end: number }[] };

/** Returns the regular hours of each weekday by the rules that apply today. */
export function listWeeklyHours({ profile, now }: Shop): DayHours[] {
  const today = dateIn(profile.timezone, now).date;
  const rules = profile.openingHours.regular.filter(
    ({ validFrom, validTo }) =>
      (validFrom === null || validFrom <= today) && (validTo === null || today <= validTo),
  );
  return WEEK.map((day) => ({
    day,
    hours: rules
      .filter(({ days }) => days.includes(day))
      .map(({ start, end }) => ({ start: minutesOf(start), end: minutesOf(end) }))
      .toSorted((a, b) => a.start - b.start),
  }));
}

/** Returns whether the business states any opening hours. */
export const hasHours = (shop: Shop): boolean =>
  shop.specialDays.length > 0 || listWeeklyHours(shop).some(({ hours }) => hours.length > 0);
