import {
  addDays,
  expandDay,
  isInstant,
  isLocalDate,
  isStartTime,
  localDateOf,
  parseInstant,
} from "./local-time.ts";

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns the milliseconds of a duration such as `90d` or `30m`; NaN for anything else. */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(digits) * UNITS[unit as keyof typeof UNITS];
}

/**
 * Returns the epoch milliseconds of a duration before `now`, a date or a local time; NaN for
 * anything else. A time without a date is the last one: `23:00` in the morning is of yesterday.
 */
export function parsePastTime(text: string, timezone: string, now: number): number {
  const duration = parseDuration(text);
  if (!Number.isNaN(duration)) return now - duration;
  if (isStartTime(text)) {
    const today = localDateOf(now, timezone);
    const at = parseInstant(`${today}T${text}`, timezone);
    return at <= now ? at : parseInstant(`${addDays(today, -1)}T${text}`, timezone);
  }
  const named = expandDay(text, timezone, now);
  const withTime = isLocalDate(named) ? `${named}T00:00` : named;
  return isInstant(withTime) ? parseInstant(withTime, timezone) : Number.NaN;
}
