// Native Temporal costs microseconds a call; a catalog holds few distinct instants, so the last text of each zone is kept.
const lastText = new Map<string, { ms: number; text: string }>();

/** RFC 3339 with the zone's offset, seconds only: `2026-12-31T22:00:00+01:00` (spec: times use the business timezone). */
export function formatInstant(ms: number, timezone: string): string {
  const last = lastText.get(timezone);
  if (last?.ms === ms) return last.text;
  const text = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: "never", smallestUnit: "second" });
  lastText.set(timezone, { ms, text });
  return text;
}

/** Epoch milliseconds of a wall-clock time such as `2026-12-31T22:00`; in a gap the later, in an overlap the earlier reading. */
export function localToInstant(local: string, timezone: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds;
}

export function isTimezone(name: string): boolean {
  // Intl also takes an offset such as "+01:00", which is no IANA name.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

/** A zone's name in IANA's letters, and not another name that it has; undefined: there is none such. */
export const canonicalTimezone = (name: string): string | undefined =>
  isTimezone(name) ? new Temporal.ZonedDateTime(0n, name).timeZoneId : undefined;
