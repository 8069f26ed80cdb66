import { bookingsNear, busyWindow, busyMargins } from "../../domain/availability/busy-intervals.ts";
import { DAY_MIN, type DayNumber, dateOf, dayAt } from "../../domain/availability/wall-clock.ts";
import type { DayListing, DayStarts, DayState } from "../../domain/availability/slot.ts";
import { type SlotSearch, prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import { withDays, type VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../domain/availability/request.ts";
import type { Runtime } from "../runtime.ts";
import { createBusyIntervalReader } from "../bookings/busy-intervals.ts";
import { inChunks, type YieldToEventLoop } from "./yield-to-event-loop.ts";

/** Size of a chunk, in candidates times starts: about 1 ms. Smaller ones take more time in all. */
const CHUNK_SIZE = 6000;
const MAX_DAYS = 16;
const BOOKING_DAYS = 4;

export type DayRange = { first: DayNumber; last: DayNumber };
/** Some of the days, in order. */
export type DayChunk =
  | { search: SlotSearch }
  /** Notice or horizon alone rule them out. */
  | { search: null; days: (DayListing & DayStarts)[] };

/**
 * Searches days in chunks, and yields to the event loop before each.
 * @param read what to keep of a chunk. A function, because a variable of the caller would keep the
 * chunk in memory while other scans have their turns: garbage collection would take as long as the
 * scans.
 */
export async function* scanDays<T>(
  rt: Runtime,
  yieldToEventLoop: YieldToEventLoop,
  businessId: string,
  plan: VisitPlan,
  { first, last }: DayRange,
  read: (chunk: DayChunk) => T,
): AsyncGenerator<T> {
  // The scan starts one day early: a clock change can go back over midnight into the previous day.
  const from = Math.min(Math.max(first, dayAt(plan.timezone, plan.earliestMin) - 1), last + 1);
  const to = Math.max(Math.min(last, plan.horizonDay), from - 1);
  if (first < from) yield read(chunkWithoutSlots({ first, last: from - 1 }, "TOO_SOON"));
  if (from <= to)
    yield* scanChunks(rt, yieldToEventLoop, businessId, plan, { first: from, last: to }, read);
  if (to < last) yield read(chunkWithoutSlots({ first: to + 1, last }, "TOO_FAR"));
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
  businessId: string,
  plan: VisitPlan,
  days: DayRange,
  read: (chunk: DayChunk) => T,
): AsyncGenerator<T> {
  const margins = busyMargins(plan);
  const bookings = await loadBookings(
    rt,
    yieldToEventLoop,
    businessId,
    withDays(plan, days.first, days.last),
  );
  const candidateCount = plan.segments.reduce((sum, { candidates }) => sum + candidates.length, 1);
  const startsPerDay = DAY_MIN / plan.intervalMin;
  const length = Math.min(MAX_DAYS, Math.ceil(CHUNK_SIZE / (candidateCount * startsPerDay)));
  const searchDays = ({ first, last }: DayRange): T => {
    const chunk = withDays(plan, first, last);
    return read({ search: prepareSlotSearch(chunk, bookingsNear(chunk, margins, bookings)) });
  };
  for await (const range of inChunks(yieldToEventLoop, days, length)) yield searchDays(range);
}

async function loadBookings(
  rt: Runtime,
  yieldToEventLoop: YieldToEventLoop,
  businessId: string,
  plan: VisitPlan,
): Promise<BusyInterval[]> {
  const read = createBusyIntervalReader(rt, businessId, plan.catalog);
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
