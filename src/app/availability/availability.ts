import { bookingsNear, busyWindow, busyMargins } from "../../domain/availability/busy-intervals.ts";
import {
  DAY_MIN,
  type DayNumber,
  dateOf,
  dayAt,
  dayNumber,
} from "../../domain/availability/wall-clock.ts";
import {
  type DayListing,
  type DayStarts,
  type DayState,
  findSlots,
  listRefusedStarts,
  listSlots,
  listStarts,
} from "../../domain/availability/slot.ts";
import { type SlotSearch, prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import { withDays, type VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { BusyInterval, NamedRequest, DateRange } from "../../domain/availability/request.ts";
import type { Runtime } from "../runtime.ts";
import { createBusyIntervalReader } from "../bookings/busy-intervals.ts";
import { inChunks, type YieldToEventLoop } from "./yield-to-event-loop.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import { planNamedRequest } from "../../domain/availability/resolve-request.ts";
import { totalOfPrices } from "../../domain/money.ts";
import { assertNotTooLarge } from "../../domain/availability/scan-size.ts";
import {
  type PublicDay,
  type PublicSlot,
  createSlotPresenter,
} from "../../domain/availability/public-slot.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getBookableCatalog } from "../catalog/bookable-catalog.ts";

/**
 * Size of a chunk: the number of its candidates times the number of its starts. A chunk of this
 * size takes about 1 ms. Smaller chunks would take longer in all.
 */
const CHUNK_SIZE = 6000;
/** Maximum number of days in a chunk, even if these days have few starts. */
const MAX_DAYS = 16;
/** The number of days whose bookings are read between two yields to the event loop. */
const BOOKING_DAYS = 4;

/**
 * Selects the visits that occupy time: all visits of a business, except the visit with the ID
 * `except`, which is to be moved.
 */
type Occupied = { businessId: string; except?: string | undefined };

export type DayRange = { first: DayNumber; last: DayNumber };
/** A part of the requested days. The parts follow each other in order. */
export type DayChunk =
  | { search: SlotSearch }
  /** Days that the minimum notice or the horizon alone rules out. */
  | { search: null; days: (DayListing & DayStarts)[] };

/**
 * Searches days in chunks, and yields to the event loop before each.
 * @param read returns what the caller keeps of a chunk. The caller must not keep the chunk itself:
 * it would stay in memory while other scans run, and garbage collection would then take as long as
 * the scans.
 */
export async function* scanDays<T>(
  rt: Runtime,
  yieldToEventLoop: YieldToEventLoop,
  occupied: Occupied,
  plan: VisitPlan,
  { first, last }: DayRange,
  read: (chunk: DayChunk) => T,
): AsyncGenerator<T> {
  // The scan starts one day early: a clock change can go back over midnight into the previous day.
  const earliestDay = dayAt(plan.timezone, plan.earliestMin) - 1;
  // If no day can have slots, `firstScanned` is after `lastScanned`.
  const firstScanned = Math.min(Math.max(first, earliestDay), last + 1);
  const lastScanned = Math.max(Math.min(last, plan.horizonDay), firstScanned - 1);
  const scanned = { first: firstScanned, last: lastScanned };
  if (first < firstScanned)
    yield read(chunkWithoutSlots({ first, last: firstScanned - 1 }, "TOO_SOON"));
  if (firstScanned <= lastScanned)
    yield* scanChunks(rt, yieldToEventLoop, occupied, plan, scanned, read);
  if (lastScanned < last)
    yield read(chunkWithoutSlots({ first: lastScanned + 1, last }, "TOO_FAR"));
}

const chunkWithoutSlots = ({ first, last }: DayRange, state: DayState): DayChunk => ({
  search: null,
  days: Array.from({ length: last - first + 1 }, (_, i) => ({
    date: dateOf(first + i),
    state,
    slots: [],
    starts: [],
  })),
});

async function* scanChunks<T>(
  rt: Runtime,
  yieldToEventLoop: YieldToEventLoop,
  occupied: Occupied,
  plan: VisitPlan,
  days: DayRange,
  read: (chunk: DayChunk) => T,
): AsyncGenerator<T> {
  const margins = busyMargins(plan);
  const bookings = await loadBookings(
    rt,
    yieldToEventLoop,
    occupied,
    withDays(plan, days.first, days.last),
  );
  // Each start takes as much time as one more candidate, so the sum begins at 1.
  const candidateCount = plan.segments.reduce((sum, { candidates }) => sum + candidates.length, 1);
  const startsPerDay = DAY_MIN / plan.intervalMin;
  const daysOfSize = Math.ceil(CHUNK_SIZE / (candidateCount * startsPerDay));
  const daysPerChunk = Math.min(MAX_DAYS, daysOfSize);
  const searchDays = ({ first, last }: DayRange): T => {
    const chunk = withDays(plan, first, last);
    return read({ search: prepareSlotSearch(chunk, bookingsNear(chunk, margins, bookings)) });
  };
  for await (const range of inChunks(yieldToEventLoop, days, daysPerChunk)) yield searchDays(range);
}

/**
 * Returns the busy intervals near the days of a plan, and yields to the event loop after every few
 * days. An interval that spans several chunks of days is read once, with the chunk in which it
 * ends.
 */
async function loadBookings(
  rt: Runtime,
  yieldToEventLoop: YieldToEventLoop,
  { businessId, except }: Occupied,
  plan: VisitPlan,
): Promise<BusyInterval[]> {
  const read = createBusyIntervalReader(
    rt,
    businessId,
    plan.catalog,
    except === undefined ? [] : [except],
  );
  const window = busyWindow(plan);
  const bookings: BusyInterval[] = [];
  let endedBy = window.start;
  for await (const { last } of inChunks(
    yieldToEventLoop,
    { first: plan.firstDay, last: plan.lastDay },
    BOOKING_DAYS,
  )) {
    const until = last === plan.lastDay ? Infinity : (last + 1) * DAY_MIN;
    bookings.push(...read({ start: endedBy, end: window.end }, until));
    endedBy = until;
  }
  return bookings;
}

export type AvailabilityQuery = {
  audience: Audience;
  request: NamedRequest;
  dates: DateRange;
  /**
   * The time zone of times in the result; null for the time zone of the business. Days are always
   * days in the time zone of the business.
   */
  timezone: string | null;
  /** Whether to include refused starts, each with the first rule that it breaks. */
  explain: boolean;
  /** The ID of a visit that is to be moved, whose own time counts as free. */
  except?: string | undefined;
  /**
   * Whether each refused start gets only a general reason such as TAKEN, which does not tell the
   * client why the time is taken.
   */
  hidesReasons?: boolean;
  /** A function that is called before each chunk of work. It rejects to stop the scan. */
  yieldToEventLoop: YieldToEventLoop;
};

/** The terms of every slot. `priceCents` is the price for one guest. */
type Terms = { timezone: string; durationMin: number; priceCents: number; currency: string };

/** `firstStart` is undefined for a day without slots. */
type DayCount = {
  date: LocalDate;
  state: DayState;
  slotCount: number;
  firstStart: string | undefined;
};

export type Availability = {
  terms: Terms;
  /** The last day that can be booked, whatever the requested days. */
  lastDate: LocalDate;
  /**
   * Asserts that the search is not too large.
   * @throws AppError query_too_large
   * @param lists "days" if each day of the range is listed; "next" if the days are searched only
   * until the next slots are found
   */
  assertNotTooLarge: (lists: "days" | "next") => void;
  /** Returns the days in order, in chunks. */
  days: () => AsyncGenerator<PublicDay[]>;
  /** Returns the number of slots of each day, which is less work than `days`. */
  dayCounts: () => AsyncGenerator<DayCount[]>;
  /** Returns the first slots, up to the booking horizon and at most a year ahead. */
  nextSlots: (limit: number, from: LocalDate) => Promise<PublicSlot[]>;
};

export type AvailabilityFinder = (business: BusinessRow, query: AvailabilityQuery) => Availability;

/**
 * Number of days whose bookings `nextSlots` loads at a time. It is small, because the first slot is
 * often near.
 */
const SEARCH_STEP_DAYS = 31;
/** The most days that `nextSlots` searches. */
const MAX_SEARCH_DAYS = 366;

/**
 * Returns a function that finds free times. A scan yields to the event loop between chunks, so a
 * booking made during the scan may or may not be reflected in its result.
 */
export function createAvailabilityFinder(rt: Runtime): AvailabilityFinder {
  /** @throws AppError with every issue of the request */
  return (business, query) => {
    const { audience, request, dates, timezone, explain, except, yieldToEventLoop } = query;
    const catalog = getBookableCatalog(rt, business);
    const plan = planNamedRequest(catalog, audience, request, dates, rt.now());
    const zone = timezone ?? plan.timezone;
    const presenter = createSlotPresenter(catalog, audience, zone, query.hidesReasons);

    const explainDays = (search: SlotSearch | null) => {
      const refused = search === null ? [] : listRefusedStarts(search);
      const byDay = Map.groupBy(refused, ({ startMin }) => dateOf(dayAt(plan.timezone, startMin)));
      return (date: LocalDate) => ({
        refused: (byDay.get(date) ?? []).map(presenter.toPublicRefusedStart),
      });
    };

    const toPublicDays = (chunk: DayChunk): PublicDay[] => {
      const days = chunk.search === null ? chunk.days : listSlots(chunk.search);
      const refusedOn = explain ? explainDays(chunk.search) : () => ({});
      return days.map(({ date, state, slots }) => ({
        date,
        state,
        slots: slots.map(presenter.toPublicSlot),
        ...refusedOn(date),
      }));
    };
    const countDays = (chunk: DayChunk): DayCount[] => {
      const days = chunk.search === null ? chunk.days : listStarts(chunk.search);
      return days.map(({ date, state, starts }) => ({
        date,
        state,
        slotCount: starts.length,
        firstStart: starts[0] === undefined ? undefined : presenter.localTime(starts[0]),
      }));
    };
    const requested = { first: plan.firstDay, last: plan.lastDay };
    const scan = <T>(days: DayRange, read: (chunk: DayChunk) => T) =>
      scanDays(rt, yieldToEventLoop, { businessId: business.id, except }, plan, days, read);

    return {
      terms: { timezone: zone, ...totalsOf(plan), currency: catalog.business.currency },
      lastDate: dateOf(plan.horizonDay),
      assertNotTooLarge: (lists) =>
        assertNotTooLarge(plan, { lists, explain, maxSearchDays: MAX_SEARCH_DAYS }),
      days: () => scan(requested, toPublicDays),
      dayCounts: () => scan(requested, countDays),
      async nextSlots(limit, from) {
        if (plan.segments.some(({ candidates }) => candidates.length === 0)) return [];
        const begin = Math.max(dayNumber(from), dayAt(plan.timezone, plan.earliestMin));
        const end = Math.min(plan.horizonDay, begin + MAX_SEARCH_DAYS - 1);
        const found: PublicSlot[] = [];
        for (let first = begin; first <= end; first += SEARCH_STEP_DAYS) {
          const last = Math.min(end, first + SEARCH_STEP_DAYS - 1);
          for await (const slots of scan({ first, last }, ({ search }) =>
            search === null ? [] : findSlots(search, limit - found.length),
          )) {
            found.push(...slots.map(presenter.toPublicSlot));
            if (found.length === limit) return found;
          }
        }
        return found;
      },
    };
  };
}

const totalsOf = ({ segments }: VisitPlan): { durationMin: number; priceCents: number } => ({
  durationMin: segments.reduce((sum, segment) => sum + segment.durationMin, 0),
  priceCents: totalOfPrices(segments.map(({ priceCents }) => ({ priceCents, quantity: 1 }))),
});
