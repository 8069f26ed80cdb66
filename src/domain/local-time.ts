import type { LocalDate, WallTime } from "./catalog/common.ts";

// The last text of each zone is cached: a Temporal call takes microseconds, and a catalog often has
// the same instant several times in a row.
const lastText = new Map<string, { ms: number; text: string }>();

/** Returns the instant in RFC 3339 in the zone, to the second: `2026-12-31T22:00:00+01:00`. */
export function formatInstant(ms: number, timezone: string): string {
  const last = lastText.get(timezone);
  if (last?.ms === ms) return last.text;
  const text = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: "never", smallestUnit: "second" });
  lastText.set(timezone, { ms, text });
  return text;
}

export const formatInstantOrNull = (ms: number | null, timezone: string): string | null =>
  ms === null ? null : formatInstant(ms, timezone);

/**
 * Returns the epoch milliseconds of a local time such as `2026-12-31T22:00`. A time that clocks
 * skip moves forward; a time that clocks repeat means its first instant.
 */
export function localToInstant(local: string, timezone: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds;
}

export function isTimezone(name: string): boolean {
  // Temporal also accepts offsets such as "+01:00", which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // Intl.DateTimeFormat takes longer, and accepts names that Temporal rejects, such as "PST".
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the time zone in its canonical case; undefined for an unknown name. */
export const canonicalTimezone = (name: string): string | undefined =>
  isTimezone(name) ? new Temporal.ZonedDateTime(0n, name).timeZoneId : undefined;

/** The years of the dates and times that are accepted, for error messages. */
export const YEARS = "from 1900 to 2199";
const DATE = /^(?:19|20|21)\d{2}-\d{2}-\d{2}$/;
const INSTANT =
  /^((?:19|20|21)\d{2}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i;
const RELATIVE = /^(-?\d{1,4})d (\d{2}:\d{2})$/;
const START = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const END = /^(?:(?:[0-3]\d|4[0-7]):[0-5]\d|48:00)$/;

export const isStartTime = (text: string): boolean => START.test(text);
/** Returns whether the text can end a window. An end after midnight is above 24:00, up to 48:00. */
export const isEndTime = (text: string): boolean => END.test(text);

export const isLocalDate = (text: string): boolean =>
  DATE.test(text) && parses(() => Temporal.PlainDate.from(text));

/** Checks the date against a leap year, so that a business can close on 29 February. */
export const isYearlyDate = (text: string): boolean =>
  /^\d{2}-\d{2}$/.test(text) && isLocalDate(`2028-${text}`);

/**
 * Returns whether the text is a time such as `12d 19:30`: at 19:30, 12 days after the day of
 * seeding.
 */
export function isRelativeTime(text: string): boolean {
  const [, , time = ""] = RELATIVE.exec(text) ?? [];
  return isStartTime(time);
}

/** Returns whether the text is a time such as `2026-12-31T22:00`, with an offset or without. */
export function isInstant(text: string): boolean {
  const [, date = "", time = "", offset = ""] = INSTANT.exec(text) ?? [];
  return (
    isLocalDate(date) &&
    isStartTime(time.slice(0, 5)) &&
    parses(() => instantOf(date, time, offset, "UTC"))
  );
}

/** Returns whether text that `isInstant` accepts has no offset. */
export const isLocalTime = (text: string): boolean => INSTANT.exec(text)?.[3] === undefined;

/**
 * Returns the local minute that a local time means if clocks skip it: `2027-03-14T03:30` for 02:30
 * in New York. Returns undefined for any other text.
 */
export function timeAfterGap(text: string, timezone: string): string | undefined {
  if (!isInstant(text) || !isLocalTime(text)) return undefined;
  const meant = formatInstant(parseInstant(text, timezone), timezone).slice(0, 16);
  return meant === text.slice(0, 16).replace(/[t ]/, "T") ? undefined : meant;
}

/** Returns the epoch milliseconds of text that `isInstant` accepts. */
export function parseInstant(text: string, timezone: string): number {
  const [, date = "", time = "", offset = ""] = INSTANT.exec(text) ?? [];
  return instantOf(date, time, offset, timezone);
}

/**
 * Returns the epoch milliseconds of text that `isRelativeTime` accepts, in the business's time
 * zone.
 */
export function parseRelativeTime(text: string, timezone: string, seedingAt: number): number {
  const [, days = "0", time = "00:00"] = RELATIVE.exec(text) ?? [];
  const today = localDateOf(seedingAt, timezone);
  return localToInstant(`${addDays(today, Number(days))}T${time}`, timezone);
}

/**
 * Returns the times, with their offsets, that a local time such as `2026-10-25T02:30` may mean: two
 * if clocks are set back and show it twice. A caller must not pass a time that clocks skip.
 */
export const occurrencesOf = (local: string, timezone: string): string[] => {
  const time = Temporal.PlainDateTime.from(local);
  const texts = (["earlier", "later"] as const).map((disambiguation) =>
    time
      .toZonedDateTime(timezone, { disambiguation })
      .toString({ timeZoneName: "never", smallestUnit: "minute" }),
  );
  return [...new Set(texts)];
};

/**
 * Returns the local minute that a text by `formatInstant` shows, with an offset only if clocks show
 * the minute twice: `2026-12-31T22:00`, or `2026-10-25T02:30+02:00`.
 */
export function toLocalMinute(instant: string, timezone: string): string {
  // The first 16 characters end with the minute, and the offset begins after the first 19.
  const local = instant.slice(0, 16);
  return occurrencesOf(local, timezone).length === 1 ? local : `${local}${instant.slice(19)}`;
}

/** Returns the local minute of epoch milliseconds, as `toLocalMinute` does. */
export const formatLocalMinute = (ms: number, timezone: string): string =>
  toLocalMinute(formatInstant(ms, timezone), timezone);

/**
 * Returns the shortest text for `parseInstant`: a local time, with an offset only for the second
 * instant of a time that clocks repeat.
 */
export function writeInstant(ms: number, timezone: string): string {
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  const local = zoned
    .toPlainDateTime()
    .toString(zoned.second === 0 && zoned.millisecond === 0 ? { smallestUnit: "minute" } : {});
  return localToInstant(local, timezone) === ms ? local : `${local}${zoned.offset}`;
}

export const startOfDay = (date: LocalDate, timezone: string): number =>
  localToInstant(`${date}T00:00`, timezone);

export const localDateOf = (ms: number, timezone: string): LocalDate =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString();

export const addDays = (date: LocalDate, days: number): LocalDate =>
  Temporal.PlainDate.from(date).add({ days }).toString();

const DAYS = { yesterday: -1, today: 0, tomorrow: 1 };

/**
 * Returns the date or time that a name such as `tomorrow`, `today 18:00` or `now` stands for. `now`
 * is the current minute. Other texts are returned unchanged.
 */
export function expandDay(text: string, timezone: string, now: number): string {
  const [, name = "", time] = /^(yesterday|today|tomorrow|now)(?:[T ](.*))?$/i.exec(text) ?? [];
  const day = name.toLowerCase();
  if (day === "") return text;
  // A text such as `now 18:00` has no meaning, so it is returned unchanged.
  if (day === "now")
    return time === undefined ? formatInstant(now - (now % 60_000), timezone) : text;
  const date = addDays(localDateOf(now, timezone), DAYS[day as keyof typeof DAYS]);
  return time === undefined ? date : `${date}T${time}`;
}

/**
 * Returns the epoch milliseconds of a time: `18:00`, `tomorrow 18:00`, `now`, `2026-12-01T18:00`,
 * or a time with an offset. Returns undefined for any other text.
 * @param day any instant of the day to use if `text` has no date
 */
export function parseTimeOfDay(
  text: string,
  timezone: string,
  now: number,
  day: number,
): number | undefined {
  const expanded = expandDay(text, timezone, now);
  const withDate = isStartTime(expanded) ? `${localDateOf(day, timezone)}T${expanded}` : expanded;
  return isInstant(withDate) ? parseInstant(withDate, timezone) : undefined;
}

/** Returns the minutes after midnight; 1560 for `26:00`. */
export const minutesOf = (time: WallTime): number =>
  Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

const instantOf = (date: string, time: string, offset: string, timezone: string): number =>
  offset === ""
    ? localToInstant(`${date}T${time}`, timezone)
    : Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds;

function parses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns the milliseconds of a duration such as `90d` or `30m`; NaN for anything else. */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(digits) * UNITS[unit as keyof typeof UNITS];
}

/**
 * Returns the epoch milliseconds of a duration before `now`, of a date or of a local time; NaN for
 * anything else. A time without a date means its last occurrence: in the morning, `23:00` is
 * yesterday's.
 */
export function parsePastTime(text: string, timezone: string, now: number): number {
  const duration = parseDuration(text);
  if (!Number.isNaN(duration)) return now - duration;
  if (isStartTime(text)) {
    const today = localDateOf(now, timezone);
    const todayAt = parseInstant(`${today}T${text}`, timezone);
    return todayAt <= now ? todayAt : parseInstant(`${addDays(today, -1)}T${text}`, timezone);
  }
  const expanded = expandDay(text, timezone, now);
  const withTime = isLocalDate(expanded) ? `${expanded}T00:00` : expanded;
  return isInstant(withTime) ? parseInstant(withTime, timezone) : Number.NaN;
}
