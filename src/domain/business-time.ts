// A Temporal call takes microseconds and a catalog repeats few instants: cache the last per zone.
const lastText = new Map<string, { ms: number; text: string }>();

/** RFC 3339 in the zone, to the second: `2026-12-31T22:00:00+01:00`. */
export function formatInstant(ms: number, timezone: string): string {
  const last = lastText.get(timezone);
  if (last?.ms === ms) return last.text;
  const text = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: "never", smallestUnit: "second" });
  lastText.set(timezone, { ms, text });
  return text;
}

/**
 * Epoch milliseconds of a local time such as `2026-12-31T22:00`. A skipped time moves forward; a
 * repeated time means its first instant.
 */
export function localToInstant(local: string, timezone: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds;
}

export function isTimezone(name: string): boolean {
  // Intl also accepts offsets such as "+01:00", which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

/** The zone's IANA name in its canonical case; undefined if there is none. */
export const canonicalTimezone = (name: string): string | undefined =>
  isTimezone(name) ? new Temporal.ZonedDateTime(0n, name).timeZoneId : undefined;
