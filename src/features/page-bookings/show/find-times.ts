import type { Audience } from "../../../domain/availability/catalog-lookup.ts";
import type { PublicSlot } from "../../../domain/availability/public-slot.ts";
import type { NamedRequest } from "../../../domain/availability/request.ts";
import type { YieldToEventLoop } from "../../../app/availability/yield-to-event-loop.ts";
import type { Availability } from "../../../app/availability/availability.ts";
import { prepareBookableCatalog } from "../../../app/catalog/bookable-catalog.ts";
import { addDays, isLocalDate, localDateOf, parseInstant } from "../../../domain/local-time.ts";
import { totalOfPrices } from "../../../domain/money.ts";
import type { PageRequest } from "../../../http/pages/page-request.ts";
import type { BusinessRow } from "../../../store/businesses.ts";

// The page reads free times as `GET /availability` does, in the same queue.

export type FreeTime = {
  startsAt: number;
  endsAt: number;
  /** The price for all guests, in minor units; null for a table, which has no price. */
  totalCents: number | null;
};

export type MonthOfTimes = {
  /** A text such as `2026-12`. */
  month: string;
  /** The days of the month from today on. */
  days: { date: string; isFree: boolean }[];
  /**
   * The day whose times are listed: the day of the query, or the first day with a free time; null
   * if there is neither.
   */
  date: string | null;
  times: FreeTime[];
  /**
   * The first free time after the month. It is searched only if `date` is null; null if none was
   * found.
   */
  next: number | null;
  /** The day of the query on which the page takes no more visits; null if it names none. */
  full: string | null;
  /** The months before and after this one; null before today or beyond the horizon. */
  earlier: string | null;
  later: string | null;
};

export type Search = {
  request: NamedRequest;
  /**
   * PUBLIC if a guest books; INTERNAL if a visit is moved, because it can have services that are
   * not public.
   */
  audience: Audience;
  /** The ID of the visit that is to be moved. */
  except?: string;
};

const monthOf = (date: string): string => date.slice(0, 7);

const addMonths = (month: string, months: number): string =>
  Temporal.PlainYearMonth.from(month).add({ months }).toString();

const lastDayOf = (month: string): string => addDays(`${addMonths(month, 1)}-01`, -1);

function readDate(query: URLSearchParams, name: "date" | "full"): string | null {
  const date = query.get(name) ?? "";
  return isLocalDate(date) ? date : null;
}

/**
 * Returns the day that a query names and its month. If the query names no day, returns only the
 * month that it names, or an empty object.
 */
function readMonth(query: URLSearchParams): { month?: string; date?: string } {
  const date = readDate(query, "date");
  if (date !== null) return { month: monthOf(date), date };
  const month = query.get("month") ?? "";
  return isLocalDate(`${month}-01`) ? { month } : {};
}

/**
 * Returns the free days of a month and the times of one of them. The month is that of the query, or
 * by default the first with a free time.
 * @throws AppError with the issues of the request, query_too_large, busy
 */
export async function findMonth(
  request: PageRequest,
  business: BusinessRow,
  search: Search,
  query: URLSearchParams,
): Promise<MonthOfTimes> {
  const { timezone } = business.doc;
  const today = localDateOf(request.context.now, timezone);
  const first = monthOf(today);
  const wanted = readMonth(query);
  const full = readDate(query, "full");
  return scan(request, business, async (find) => {
    // A service can be booked at most three years ahead, so there are few months to choose from.
    const last = monthOf(find(search, today, today).lastDate);
    const findNext = async (from: string): Promise<number | null> => {
      const availability = find(search, from, from);
      availability.assertNotTooLarge("next");
      // `nextSlots` searches up to a year from `from`, regardless of the days that `find` was
      // called with.
      const [slot] = await availability.nextSlots(1, from);
      return slot ? parseInstant(slot.startsAt, timezone) : null;
    };
    const month = clamp(
      wanted.month ?? (await findFirstMonth(findNext, today, timezone)),
      first,
      last,
    );
    const from = month === first ? today : `${month}-01`;
    const ofMonth = find(search, from, lastDayOf(month));
    ofMonth.assertNotTooLarge("days");
    const days: MonthOfTimes["days"] = [];
    for await (const chunk of ofMonth.dayCounts())
      days.push(
        ...chunk.map(({ date, slotCount }) => ({ date, isFree: slotCount > 0 && date !== full })),
      );
    const wantedDay = days.find((day) => day.date === wanted.date);
    const freeDays = days.filter(({ isFree }) => isFree);
    // A guest who has chosen a full day wants one that is near to it.
    const firstFreeDay = freeDays.find((day) => full === null || day.date > full) ?? freeDays[0];
    const date = (wantedDay ?? firstFreeDay)?.date ?? null;
    const times: FreeTime[] = [];
    if (date !== null)
      for await (const chunk of find(search, date, date).days())
        for (const { slots } of chunk)
          times.push(...slots.map((slot) => toFreeTime(slot, search.request, timezone)));
    return {
      month,
      days,
      date,
      times,
      full,
      next: date === null ? await findNext(addDays(lastDayOf(month), 1)) : null,
      earlier: month > first ? addMonths(month, -1) : null,
      later: month < last ? addMonths(month, 1) : null,
    };
  });
}

/** Returns the first month with a free time; this month if there is none. */
async function findFirstMonth(
  findNext: (from: string) => Promise<number | null>,
  today: string,
  timezone: string,
): Promise<string> {
  const next = await findNext(today);
  return next === null ? monthOf(today) : monthOf(localDateOf(next, timezone));
}

const clamp = (text: string, first: string, last: string): string =>
  text < first ? first : text > last ? last : text;

const MAX_NEAREST = 4;
/** The maximum number of slots that are searched, from the day of the wanted time on. */
const MAX_SLOTS = 200;

/** Returns the free times that are nearest to a time, in order. */
export async function findNearest(
  request: PageRequest,
  business: BusinessRow,
  search: Search,
  startsAt: number,
): Promise<FreeTime[]> {
  const { timezone } = business.doc;
  const date = localDateOf(startsAt, timezone);
  const slots = await scan(request, business, async (find) => {
    const availability = find(search, date, date);
    availability.assertNotTooLarge("next");
    return availability.nextSlots(MAX_SLOTS, date);
  });
  const distanceOf = (time: FreeTime): number => Math.abs(time.startsAt - startsAt);
  return slots
    .map((slot) => toFreeTime(slot, search.request, timezone))
    .toSorted((a, b) => distanceOf(a) - distanceOf(b))
    .slice(0, MAX_NEAREST)
    .toSorted((a, b) => a.startsAt - b.startsAt);
}

/** Returns the free time that starts at `startsAt`; undefined if it is taken. */
export async function findTime(
  request: PageRequest,
  business: BusinessRow,
  search: Search,
  startsAt: number,
): Promise<FreeTime | undefined> {
  const date = localDateOf(startsAt, business.doc.timezone);
  return scan(request, business, async (find) => {
    for await (const chunk of find(search, date, date).days())
      for (const slot of chunk.flatMap(({ slots }) => slots)) {
        const time = toFreeTime(slot, search.request, business.doc.timezone);
        if (time.startsAt === startsAt) return time;
      }
    return undefined;
  });
}

type Find = (search: Search, from: string, to: string) => Availability;

/** Runs a search as soon as its turn in the queue comes. */
async function scan<T>(
  { rt, deps, context }: PageRequest,
  business: BusinessRow,
  read: (find: Find) => Promise<T>,
): Promise<T> {
  await prepareBookableCatalog(rt, business);
  const createFind =
    (yieldToEventLoop: YieldToEventLoop): Find =>
    (search, from, to) =>
      deps.findAvailability(business, {
        ...search,
        dates: { from, to },
        timezone: null,
        explain: false,
        yieldToEventLoop,
      });
  return deps.scanQueue
    .add((yieldToEventLoop) => read(createFind(yieldToEventLoop)))
    .waitAs(deps.accessControl.getClient(context), context.request.disconnected());
}

function toFreeTime(slot: PublicSlot, request: NamedRequest, timezone: string): FreeTime {
  const prices = slot.segments.flatMap((segment) =>
    "priceCents" in segment ? [segment.priceCents] : [],
  );
  const guests = "guests" in request ? request.guests : 1;
  return {
    startsAt: parseInstant(slot.startsAt, timezone),
    endsAt: parseInstant(slot.endsAt, timezone),
    totalCents:
      prices.length === 0
        ? null
        : totalOfPrices(prices.map((priceCents) => ({ priceCents, quantity: guests }))),
  };
}
