import {
  type DayEntry,
  describeDay,
  describeGuest,
  describeStaff,
  listDay,
} from "../../../app/bookings/day-sheet.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Teller } from "../../../domain/bookings/visit.ts";
import { addDays, formatLocalMinute, localDateOf } from "../../../domain/local-time.ts";
import { countOf } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { findTeller } from "../../guest-mail/queue-mail.ts";
import type { VisitRow } from "../state/ui-state.ts";
import { type Colour, fit, GLYPHS, type StyledLine, sanitize, span, wrapWords } from "./cells.ts";

export type ShownVisit = DayEntry & { slug: string; timezone: string; teller: Teller };

/** The visits of a local day of one business, or of all. */
export type Day = {
  /** The date of the day; several dates if it differs between the businesses' time zones. */
  dates: readonly string[];
  /** Whether the visits are of several businesses. */
  hasSeveralBusinesses: boolean;
  visits: readonly ShownVisit[];
};

/** The most businesses whose visits are read together: each change of the data reads them again. */
const MAX_BUSINESSES = 20;

/**
 * Returns the visits of a business or, if none is chosen, of all. Returns null if there are too
 * many businesses.
 * @param offset days from today, in the time zone of each business
 */
export function readDay(rt: Runtime, businessId: string | undefined, offset: number): Day | null {
  const businesses = listShown(rt, businessId);
  if (businesses.length > MAX_BUSINESSES) return null;
  const dateOf = ({ doc }: BusinessRow) => addDays(localDateOf(rt.now(), doc.timezone), offset);
  return {
    dates: [...new Set(businesses.map(dateOf))].toSorted(),
    hasSeveralBusinesses: businesses.length > 1,
    visits: businesses
      .flatMap((business) =>
        listDay(rt, business, dateOf(business)).map((entry) => ({
          ...entry,
          slug: business.slug,
          timezone: business.doc.timezone,
          teller: tellerOf(rt, business, entry),
        })),
      )
      .toSorted((a, b) => a.startsAt - b.startsAt),
  };
}

/** Returns the chosen business or, if none is chosen, as many as are shown and one more. */
function listShown({ store }: Runtime, businessId: string | undefined): BusinessRow[] {
  if (businessId === undefined) return store.businesses.list(MAX_BUSINESSES + 1);
  const business = store.businesses.findById(businessId);
  return business === undefined ? [] : [business];
}

function tellerOf(rt: Runtime, business: BusinessRow, { id, type }: DayEntry): Teller {
  const visits = type === "booking" ? rt.store.bookings : rt.store.reservations;
  const visit = visits.findById(business.id, id);
  return visit === undefined ? "nobody" : findTeller(rt, business, visit);
}

/**
 * Returns the index of the selected row, or of the next row if the selected visit has left the day.
 * The first visit that is not over is selected by default.
 */
export function visitIndex(selected: VisitRow | null, day: Day | null, now: number): number {
  const visits = day?.visits ?? [];
  const exact = visits.findIndex(
    ({ id, startsAt }) => id === selected?.id && startsAt === selected.startsAt,
  );
  if (exact !== -1) return exact;
  const next = visits.findIndex(({ startsAt, endsAt }) =>
    selected === null ? endsAt > now : startsAt >= selected.startsAt,
  );
  return next === -1 ? Math.max(0, visits.length - 1) : next;
}

/** Returns the title of the screen: the dates and a summary of the visits, or else `today`. */
export function describeShownDay(day: Day | null): string {
  if (day === null) return "today";
  const [date = "today", ...otherDates] = day.dates;
  if (otherDates.length > 0)
    return `${day.dates.join(" and ")}: ${countOf(day.visits.length, "visit")}`;
  return day.dates.length === 0 ? date : describeDay(date, day.visits);
}

/** `share` is the column's part of the width that is left beside the times and the status. */
type Column = { title: string; value: (visit: ShownVisit) => string | null; share: number };

const GUEST: Column = { title: "GUEST", value: describeGuest, share: 0.28 };
const SERVICE: Column = {
  title: "SERVICE",
  // A narrow terminal has no column for places, so a reservation shows its table here.
  value: ({ service, place }) => service ?? place,
  share: 0.34,
};
const WIDE_COLUMNS: Column[] = [
  GUEST,
  { title: "SERVICE", value: ({ service }) => service, share: 0.34 },
  { title: "STAFF", value: describeStaff, share: 0.2 },
  { title: "PLACE", value: ({ place }) => place, share: 0.18 },
];
const BUSINESS: Column = { title: "BUSINESS", value: ({ slug }) => slug, share: 0.2 };
/** The width from which staff and places are shown. */
const MIN_WIDE = 70;
/** The width of the cursor and of the mark of a visit whose staff member is away. */
const MARKS_CELLS = 2;
const STATUS_CELLS = 9;

const COLOURS: Partial<Record<DayEntry["status"], Colour>> = {
  PENDING: "yellow",
  COMPLETED: "green",
  NO_SHOW: "red",
};

/**
 * Returns the lines of a day. `rows` are scrolled between `head` and `about`, which describes the
 * selected visit.
 * @param selected the index of the selected visit
 */
export function renderDay(
  day: Day | null,
  width: number,
  selected: number,
): { head: StyledLine[]; rows: StyledLine[]; about: StyledLine[] } {
  const message = (text: string) => ({
    head: [],
    rows: [[span(text, { dim: true })]],
    about: [],
  });
  if (day === null) return message(" Choose one of the businesses with b.");
  const { visits, hasSeveralBusinesses } = day;
  if (visits.length === 0) return message(" No visits.");
  const isWide = width >= MIN_WIDE;
  const columns = [
    ...(isWide ? WIDE_COLUMNS : [GUEST, SERVICE]),
    ...(hasSeveralBusinesses && isWide ? [BUSINESS] : []),
  ];
  const allShares = columns.reduce((sum, { share }) => sum + share, 0);
  const times = visits.map((visit) => (isWide ? timesOf(visit) : timesOf(visit).split("-")[0]));
  // A time that occurs twice, because clocks are set back, has an offset and so needs more cells.
  const timeWidth = times.reduce((most, time = "") => Math.max(most, time.length + 1), 0);
  const available = width - MARKS_CELLS - timeWidth - STATUS_CELLS - 1;
  const cells = ({ share }: Column) => Math.floor((available * share) / allShares) - 1;
  const row = (time: string, valueOf: (column: Column) => string | null): string =>
    `${fit(time, timeWidth)}${columns.map((column) => `${fit(sanitize(valueOf(column) ?? ""), cells(column))} `).join("")}`;
  const chosen = visits[selected];
  return {
    head: [
      [span(`${" ".repeat(MARKS_CELLS)}${row("TIME", ({ title }) => title)}STATUS`, { dim: true })],
    ],
    rows: visits.map((visit, i): StyledLine => {
      const { status } = visit;
      const colour = COLOURS[status];
      const style = i === selected ? { inverse: true as const } : {};
      return [
        span(i === selected ? GLYPHS.cursor : " ", { bold: true }),
        span(visit.isStaffAway ? GLYPHS.alarm : " ", { colour: "red" }),
        span(
          row(times[i] ?? "", ({ value }) => value(visit)),
          style,
        ),
        span(status, colour && { colour }),
      ];
    }),
    about: chosen === undefined ? [] : aboutVisit(chosen, hasSeveralBusinesses, width),
  };
}

const timesOf = ({ startsAt, endsAt, timezone }: ShownVisit): string =>
  [startsAt, endsAt].map((at) => formatLocalMinute(at, timezone).slice(11)).join("-");

/** Returns two lines with the texts of the selected visit, because columns may cut them. */
function aboutVisit(visit: ShownVisit, hasSeveralBusinesses: boolean, width: number): StyledLine[] {
  const parts = [
    timesOf(visit),
    describeGuest(visit),
    visit.service,
    describeStaff(visit),
    visit.place,
    ...(hasSeveralBusinesses ? [visit.slug] : []),
  ].filter((part) => part !== null);
  const [first = "", second = "", third] = wrapWords(sanitize(parts.join(" · ")), width - 2);
  // If there is a third line, `fit` ends the second one with an ellipsis.
  return [first, third === undefined ? second : fit(`${second} ${third}`, width - 2)].map(
    (line) => [span(` ${line}`)],
  );
}
