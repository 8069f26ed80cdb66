import { busyWindow, busyMargins } from "../../domain/availability/busy-window.ts";
import { DAY_MIN, type DayNumber, dateOf } from "../../domain/availability/calendar.ts";
import { type DayListing, type DayState, listSlots } from "../../domain/availability/listing.ts";
import { type SlotSearch, prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import { withDays, type VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../domain/availability/request.ts";
import { dayAt } from "../../domain/availability/wall-clock.ts";
import type { Runtime } from "../runtime.ts";
import { createBusyIntervalReader } from "../bookings/busy-intervals.ts";
import { inChunks, type YieldToEventLoop } from "./yield-to-event-loop.ts";

/** Of a visit with so many ways to do its services a day at a time is worked on, of a lighter one several. */
const HEAVY_WAYS = 400;
const MOST_DAYS = 16;
/** How many days' bookings are read at a time. */
const DAYS_OF_ROWS = 4;

export type DayRange = { first: DayNumber; last: DayNumber };
/** Some of the days, in order; without openings where the clock alone decides. */
export type DayChunk = { days: DayListing[]; search: SlotSearch | null };

/** Lists days some at a time, each piece in a turn of the event loop of its own. */
export async function* scanDays(
  rt: Runtime,
  turn: YieldToEventLoop,
  businessId: string,
  plan: VisitPlan,
  { first, last }: DayRange,
): AsyncGenerator<DayChunk> {
  // A day early: clocks have gone back over midnight into the day before.
  const from = Math.min(Math.max(first, dayAt(plan.timezone, plan.earliestMin) - 1), last + 1);
  const to = Math.max(Math.min(last, plan.horizonDay), from - 1);
  if (first < from) yield empty({ first, last: from - 1 }, "TOO_SOON");
  if (from <= to) yield* scan(rt, turn, businessId, plan, { first: from, last: to });
  if (to < last) yield empty({ first: to + 1, last }, "TOO_FAR");
}

const empty = ({ first, last }: DayRange, state: DayState): DayChunk => ({
  search: null,
  days: Array.from({ length: last - first + 1 }, (_, i) => ({
    date: dateOf(first + i),
    state,
    slots: [],
  })),
});

async function* scan(
  rt: Runtime,
  turn: YieldToEventLoop,
  businessId: string,
  plan: VisitPlan,
  days: DayRange,
): AsyncGenerator<DayChunk> {
  const reach = busyMargins(plan);
  const rows = await loadRows(rt, turn, businessId, withDays(plan, days.first, days.last));
  const ways = plan.segments.reduce((sum, { candidates }) => sum + candidates.length, 1);
  const length = Math.min(MOST_DAYS, Math.ceil(HEAVY_WAYS / ways));
  for await (const { first, last } of inChunks(turn, days, length)) {
    const piece = withDays(plan, first, last);
    const { start, end } = busyWindow(piece, reach);
    const search = prepareSlotSearch(
      piece,
      rows.filter(({ startMin, endMin }) => startMin < end && endMin > start),
    );
    yield { search, days: listSlots(search) };
  }
}

async function loadRows(
  rt: Runtime,
  turn: YieldToEventLoop,
  businessId: string,
  plan: VisitPlan,
): Promise<BusyInterval[]> {
  const read = createBusyIntervalReader(rt, businessId, plan.catalog);
  const window = busyWindow(plan);
  const rows: BusyInterval[] = [];
  let endedBy = window.start;
  for await (const { last } of inChunks(
    turn,
    { first: plan.firstDay, last: plan.lastDay },
    DAYS_OF_ROWS,
  )) {
    const until = last === plan.lastDay ? Infinity : (last + 1) * DAY_MIN;
    rows.push(...read({ start: endedBy, end: window.end }, until));
    endedBy = until;
  }
  return rows;
}
