import type { LocalDate } from "../domain/catalog/common.ts";
import {
  addDays,
  expandDay,
  isInstant,
  isLocalDate,
  isStartTime,
  parseTimeOfDay,
  startOfDay,
  YEARS,
} from "../domain/local-time.ts";
import { quote } from "../domain/text.ts";
import { usageError } from "./failure.ts";

// Times and days as a person types them depend on the clock and the time zone of a business, which
// a command knows only after it has opened the data.

/** The time zone and the current time (epoch milliseconds) for a time as typed. */
export type Clock = { timezone: string; now: number };

/**
 * Parses a time as typed, local to the business: `18:00`, `tomorrow 18:00`, `now`,
 * `2026-12-01T18:00`, or a time with an offset.
 * @param day any instant of the day to use if `text` has no date; by default, now
 * @param dayName the name of this day for the error message
 * @returns epoch milliseconds
 */
export function parseTime(
  flag: string,
  text: string,
  { timezone, now }: Clock,
  day = now,
  dayName = "today",
): number {
  const instant = parseTimeOfDay(text, timezone, now, day);
  if (instant !== undefined) return instant;
  throw usageError(
    `Invalid ${flag} ${quote(text)}.`,
    `use a time such as 18:00 (${dayName}), tomorrow 18:00 or 2026-12-01T18:00`,
  );
}

/** Returns the local date of a day: a date, `yesterday`, `today` or `tomorrow`. */
export function parseDay(flag: string, text: string, { timezone, now }: Clock): LocalDate {
  const day = expandDay(text, timezone, now);
  if (isLocalDate(day)) return day;
  throw usageError(
    `Invalid ${flag} ${quote(text)}.`,
    `use a date ${YEARS} such as 2026-12-24, or yesterday, today or tomorrow`,
  );
}

/** Returns the local dates of the options; undefined for an option that is not given. */
export const parseDays = <Name extends string>(
  given: { [N in Name]: string | undefined },
  clock: Clock,
) =>
  Object.fromEntries(
    Object.entries<string | undefined>(given).map(([name, text]) => [
      name,
      text === undefined ? undefined : parseDay(`--${name}`, text, clock),
    ]),
  ) as { [N in Name]: LocalDate | undefined };

/**
 * Parses the start or end of a period: a time as `parseTime` does, or a day. An end includes the
 * whole day.
 * @returns epoch milliseconds; null for `none`; undefined if the option is not given
 */
export function parseBound(
  flag: "--from" | "--to",
  text: string | undefined,
  clock: Clock,
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const expanded = expandDay(text, clock.timezone, clock.now);
  if (isLocalDate(expanded))
    return startOfDay(flag === "--to" ? addDays(expanded, 1) : expanded, clock.timezone);
  if (isStartTime(expanded) || isInstant(expanded)) return parseTime(flag, text, clock);
  throw usageError(
    `Invalid ${flag} ${quote(text)}.`,
    `use a date ${YEARS} such as 2026-12-24, today or tomorrow, a time such as 2026-12-24T13:00, or none`,
  );
}
