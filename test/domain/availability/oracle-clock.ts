/**
 * This module converts wall-clock times with Temporal, and shares no code with the availability
 * rules.
 */

const cache = new Map<string, number>();

function memoize(key: string, read: () => number): number {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const value = read();
  cache.set(key, value);
  return value;
}

type Meaning = "start of opening" | "end of opening" | "start of closing" | "end of closing";

/** Returns the epoch minute of the time `clockMin` minutes after the date's midnight. */
export function instantOf(zone: string, date: string, clockMin: number, meaning: Meaning): number {
  return memoize(`${zone} ${date} ${clockMin} ${meaning}`, () => {
    const plain = Temporal.PlainDate.from(date).toPlainDateTime().add({ minutes: clockMin });
    const earlier = plain.toZonedDateTime(zone, { disambiguation: "earlier" });
    const later = plain.toZonedDateTime(zone, { disambiguation: "later" });
    const minute = (moment: Temporal.ZonedDateTime) => moment.epochMilliseconds / 60_000;
    const skipped = !later.toPlainDateTime().equals(plain);
    if (!skipped) return minute(meaning === "end of closing" ? later : earlier);
    if (meaning === "start of opening" || meaning === "end of closing") return minute(later);
    // The clocks skip this time. `earlier` is before the clock change, so the next transition is
    // the change itself.
    return minute(earlier.getTimeZoneTransition("next")!);
  });
}

export const dateExists = (zone: string, date: string): boolean =>
  memoize(`${zone} ${date} exists`, () =>
    Temporal.PlainDate.from(date).toZonedDateTime(zone).toPlainDate().toString() === date ? 1 : 0,
  ) === 1;

const walls = new Map<string, Map<number, Wall>>();
type Wall = { date: string; clockMin: number };

/** Returns the local date and time at a minute. */
export function wallClockAt(zone: string, minute: number): Wall {
  let ofZone = walls.get(zone);
  if (ofZone === undefined) walls.set(zone, (ofZone = new Map()));
  let wall = ofZone.get(minute);
  if (wall === undefined) {
    const moment = Temporal.Instant.fromEpochMilliseconds(minute * 60_000).toZonedDateTimeISO(zone);
    wall = { date: moment.toPlainDate().toString(), clockMin: moment.hour * 60 + moment.minute };
    ofZone.set(minute, wall);
  }
  return wall;
}

export const addDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();
