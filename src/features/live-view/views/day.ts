import { type DayEntry, describeGuest, listDay } from "../../../app/bookings/day-sheet.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { addDays, formatLocalMinute, localDateOf } from "../../../domain/local-time.ts";
import { type Colour, fit, type StyledLine, sanitize, span } from "./cells.ts";

/** The visits of a local day of a business. */
export type Day = { date: string; timezone: string; entries: DayEntry[] };

/**
 * Returns null if there are several businesses and none is chosen.
 * @param offset days from today, in the time zone of the business
 */
export function readDay(rt: Runtime, businessId: string | undefined, offset: number): Day | null {
  const businesses = rt.store.businesses.list();
  const business =
    businessId === undefined && businesses.length === 1
      ? businesses[0]
      : businesses.find(({ id }) => id === businessId);
  if (business === undefined) return null;
  const { timezone } = business.doc;
  const date = addDays(localDateOf(rt.now(), timezone), offset);
  return { date, timezone, entries: listDay(rt, business, date) };
}

type Column = { title: string; value: (entry: DayEntry) => string | null; share: number };

const COLUMNS: Column[] = [
  { title: "GUEST", value: describeGuest, share: 0.28 },
  { title: "SERVICE", value: ({ service }) => service, share: 0.34 },
  { title: "STAFF", value: ({ staff }) => staff, share: 0.2 },
  { title: "PLACE", value: ({ place }) => place, share: 0.18 },
];
/** The width from which staff and places are shown. */
const WIDE = 70;
/** The width of `10:00-11:00` and a space. */
const TIME = 12;
const STATUS = 9;

const COLOURS: Partial<Record<DayEntry["status"], Colour>> = {
  PENDING: "yellow",
  COMPLETED: "green",
  NO_SHOW: "red",
};

/** Returns the lines of a day; `head` stays visible while `rows` are scrolled. */
export function renderDay(
  day: Day | null,
  width: number,
): { head: StyledLine[]; rows: StyledLine[] } {
  const message = (text: string) => ({ head: [], rows: [[span(text, { dim: true })]] });
  if (day === null) return message(" Choose one business with f, then press d again.");
  const { entries, timezone } = day;
  if (entries.length === 0) return message(" No visits.");
  const columns = width >= WIDE ? COLUMNS : COLUMNS.slice(0, 2);
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const timeOf = (at: number) => formatLocalMinute(at, timezone).slice(11);
  const times = entries.map(({ startsAt, endsAt }) => `${timeOf(startsAt)}-${timeOf(endsAt)}`);
  // A time that occurs twice in a night has an offset.
  const timeWidth = times.reduce((most, time) => Math.max(most, time.length + 1), TIME);
  const available = width - timeWidth - STATUS - 2;
  const cells = ({ share }: Column) => Math.floor((available * share) / shares) - 1;
  const row = (time: string, valueOf: (column: Column) => string | null): string =>
    ` ${fit(time, timeWidth)}${columns.map((column) => `${fit(sanitize(valueOf(column) ?? ""), cells(column))} `).join("")}`;
  return {
    head: [[span(`${row("TIME", ({ title }) => title)}STATUS`, { dim: true })]],
    rows: entries.map((entry, i): StyledLine => {
      const { status } = entry;
      const colour = COLOURS[status];
      return [
        span(row(times[i] ?? "", ({ value }) => value(entry))),
        span(status, colour && { colour }),
      ];
    }),
  };
}
