/**
 * Computes hours as the guides describe them, in minutes since 1970, without the program's code.
 */

export type Interval = { start: string; end: string };
export type Weekly = Interval & { days: string[]; validFrom?: string; validTo?: string };
export type Exception = {
  date: string;
  mode: "replace" | "add" | "remove" | "only";
  intervals: Interval[];
};
export type Closure =
  | { date: string }
  | { from: string; to: string }
  | { yearly: string; name?: string };
/** A period from the first minute to the minute after the last one. */
export type Span = { from: number; to: number };

export type OpeningHours = { hours: Weekly[]; exceptions: Exception[]; closures: Closure[] };
export type WorkingHours = {
  hours?: Weekly[];
  breaks: Weekly[];
  exceptions: Exception[];
  timeOff: { from: string; to: string }[];
};

export const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MIN = 1440;

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

export type Zone = ReturnType<typeof createZone>;

/** Converts between minutes since 1970 and the local time of a time zone. */
export function createZone(timeZone: string) {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const offsets = new Map<number, number>();
  // Time zones change their offset only at a quarter of an hour.
  const offsetAt = (minute: number): number => {
    const quarter = Math.floor(minute / 15) * 15;
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const part = Object.fromEntries(
        parts.formatToParts(quarter * 60_000).map(({ type, value }) => [type, Number(value)]),
      ) as Record<string, number>;
      const { year = 0, month = 0, day = 0, hour = 0, minute: rest = 0 } = part;
      offset = Date.UTC(year, month - 1, day, hour, rest) / 60_000 - quarter;
      offsets.set(quarter, offset);
    }
    return offset;
  };
  /** Returns all instants of a local time: none if the clock skips it, two if it is repeated. */
  const instantsOf = (date: string, minute: number): number[] => {
    const local = Date.parse(date) / 60_000 + minute;
    const candidates = new Set([-DAY_MIN, 0, DAY_MIN].map((shift) => offsetAt(local + shift)));
    return [...candidates]
      .map((offset) => local - offset)
      .filter((instant) => instant + offsetAt(instant) === local)
      .sort((a, b) => a - b);
  };
  /**
   * Returns the instant of a local time: the first one if clocks repeat the time, and the instant
   * by the old offset if clocks skip it.
   */
  const instantOf = (date: string, minute: number): number =>
    instantsOf(date, minute)[0] ??
    Date.parse(date) / 60_000 + minute - offsetAt(Date.parse(date) / 60_000 - DAY_MIN);
  /**
   * Returns the instant of a local time at which hours end or a break begins: the first one if
   * clocks repeat the time, and the moment at which clocks change if they skip it.
   */
  const limitOf = (date: string, minute: number): number => {
    const [first] = instantsOf(date, minute);
    if (first !== undefined) return first;
    let change = Math.floor(instantOf(date, minute) / 15) * 15;
    while (offsetAt(change - 15) === offsetAt(change)) change -= 15;
    return change;
  };
  const dateOf = (minute: number): string =>
    new Date((minute + offsetAt(minute)) * 60_000).toISOString().slice(0, 10);
  /** Returns a time as the API writes it, such as 2026-12-01T10:00:00+01:00. */
  const format = (minute: number): string => {
    const offset = offsetAt(minute);
    const local = new Date((minute + offset) * 60_000).toISOString().slice(0, 19);
    const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
    const size = Math.abs(offset);
    return `${local}${offset < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
  };
  return { instantsOf, instantOf, limitOf, dateOf, format };
}

const weekday = (date: string): string => DAYS[new Date(Date.parse(date)).getUTCDay()] ?? "";

const onDate = (list: readonly Weekly[], date: string): Span[] =>
  list
    .filter(({ days, validFrom = date, validTo = date }) => {
      return days.includes(weekday(date)) && validFrom <= date && date <= validTo;
    })
    .map(toSpan);

const toSpan = ({ start, end }: Interval): Span => ({ from: minuteOf(start), to: minuteOf(end) });

/** Joins spans that overlap or touch. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}

const cut = (spans: readonly Span[], by: readonly Span[]): Span[] =>
  by.reduce<Span[]>(
    (rest, { from, to }) =>
      rest.flatMap((span) =>
        [
          { from: span.from, to: Math.min(span.to, from) },
          { from: Math.max(span.from, to), to: span.to },
        ].filter((part) => part.from < part.to),
      ),
    [...spans],
  );

const intersect = (spans: readonly Span[], by: readonly Span[]): Span[] =>
  spans.flatMap((span) =>
    by
      .map(({ from, to }) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }))
      .filter(({ from, to }) => from < to),
  );

/** Applies the exceptions of a day in the documented order: REPLACE, ADD, REMOVE. */
function applyExceptions(regular: Span[], exceptions: readonly Exception[], date: string): Span[] {
  const today = (...modes: string[]): Span[][] =>
    exceptions
      .filter((exception) => exception.date === date && modes.includes(exception.mode))
      .map(({ intervals }) => intervals.map(toSpan));
  const replacing = today("replace", "only");
  const open = replacing.length > 0 ? replacing.flat() : regular;
  return cut(joinSpans([...open, ...today("add").flat()]), today("remove").flat());
}

/** Returns the windows that begin on a day: of the business, or of a person if one is given. */
export function windowsOf(
  date: string,
  zone: Zone,
  business: OpeningHours,
  person?: WorkingHours,
): Span[] {
  let spans = applyExceptions(
    joinSpans(onDate(person?.hours ?? business.hours, date)),
    person?.hours ? [] : business.exceptions,
    date,
  );
  if (person) {
    spans = applyExceptions(spans, person.exceptions, date);
    const only = business.exceptions.filter((one) => one.date === date && one.mode === "only");
    for (const { intervals } of only) spans = intersect(spans, intervals.map(toSpan));
  }
  return spans
    .map(({ from, to }) => ({ from: zone.instantOf(date, from), to: zone.limitOf(date, to) }))
    .filter(({ from, to }) => from < to);
}

export const breaksOf = (date: string, zone: Zone, person: WorkingHours): Span[] =>
  onDate(person.breaks, date).map(({ from, to }) => ({
    from: zone.limitOf(date, from),
    to: zone.instantsOf(date, to).at(-1) ?? zone.instantOf(date, to),
  }));

/** Returns the absences of a person; a date stands for the whole day. */
export const absencesOf = (zone: Zone, person: WorkingHours): Span[] =>
  person.timeOff.map(({ from, to }) => ({
    from: zone.instantOf(from.slice(0, 10), minuteOf(from.slice(11) || "00:00")),
    to: to.includes("T")
      ? zone.instantOf(to.slice(0, 10), minuteOf(to.slice(11)))
      : zone.instantOf(addDays(to, 1), 0),
  }));

export const isClosed = (date: string, closures: readonly Closure[]): boolean =>
  closures.some((closure) => {
    if ("yearly" in closure) return date.slice(5) === closure.yearly;
    if ("date" in closure) return date === closure.date;
    return closure.from <= date && date <= closure.to;
  });
