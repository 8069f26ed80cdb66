/** Clocks as Temporal itself reads them, minute by minute. Nothing here is shared with the engine. */

const remembered = new Map<string, number>();

function remember(key: string, read: () => number): number {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const value = read();
  remembered.set(key, value);
  return value;
}

type Meaning = "start of opening" | "end of opening" | "start of closing" | "end of closing";

/** The minute that a time `clockMin` after the date's midnight stands for. */
export function instantOf(zone: string, date: string, clockMin: number, meaning: Meaning): number {
  return remember(`${zone} ${date} ${clockMin} ${meaning}`, () => {
    const plain = Temporal.PlainDate.from(date).toPlainDateTime().add({ minutes: clockMin });
    const earlier = plain.toZonedDateTime(zone, { disambiguation: "earlier" });
    const later = plain.toZonedDateTime(zone, { disambiguation: "later" });
    const minute = (moment: Temporal.ZonedDateTime) => moment.epochMilliseconds / 60_000;
    const skipped = !later.toPlainDateTime().equals(plain);
    if (!skipped) return minute(meaning === "end of closing" ? later : earlier);
    if (meaning === "start of opening" || meaning === "end of closing") return minute(later);
    // Asked in a gap, "earlier" lies before it by as much as the clocks jump.
    return minute(earlier.getTimeZoneTransition("next")!);
  });
}

export const dateExists = (zone: string, date: string): boolean =>
  remember(`${zone} ${date} exists`, () =>
    Temporal.PlainDate.from(date).toZonedDateTime(zone).toPlainDate().toString() === date ? 1 : 0,
  ) === 1;

const walls = new Map<string, Map<number, Wall>>();
type Wall = { date: string; clockMin: number };

/** What the clock shows at a minute. */
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
