import { busyWindow, reachOf } from "../../domain/availability/busy-window.ts";
import { DAY_MIN, type DayNumber, dateOf } from "../../domain/availability/calendar.ts";
import { type DayListing, type DayState, listSlots } from "../../domain/availability/listing.ts";
import { type Openings, openingsOf } from "../../domain/availability/openings.ts";
import { overDays, type Plan } from "../../domain/availability/plan.ts";
import type { BusyRow } from "../../domain/availability/question.ts";
import { dayAt } from "../../domain/availability/zone-rules.ts";
import type { Runtime } from "../../runtime.ts";
import { busyRowReader } from "../day/busy-rows.ts";
import { inTurns, type Turn } from "./turns.ts";

/** Of a visit with so many ways to do its services a day at a time is worked on, of a lighter one several. */
const HEAVY_WAYS = 400;
const MOST_DAYS = 16;
/** How many days' bookings are read at a time. */
const DAYS_OF_ROWS = 4;

export type Days = { first: DayNumber; last: DayNumber };
/** Some of the days, in order; without openings where the clock alone decides. */
export type Piece = { listed: DayListing[]; openings: Openings | null };

/** Lists days some at a time, each piece in a turn of the event loop of its own. */
export async function* scanDays(
  rt: Runtime,
  turn: Turn,
  businessId: string,
  plan: Plan,
  { first, last }: Days,
): AsyncGenerator<Piece> {
  // A day early: clocks have gone back over midnight into the day before.
  const from = Math.min(Math.max(first, dayAt(plan.timezone, plan.earliestMin) - 1), last + 1);
  const to = Math.max(Math.min(last, plan.horizonDay), from - 1);
  if (first < from) yield empty({ first, last: from - 1 }, "TOO_SOON");
  if (from <= to) yield* scan(rt, turn, businessId, plan, { first: from, last: to });
  if (to < last) yield empty({ first: to + 1, last }, "TOO_FAR");
}

const empty = ({ first, last }: Days, state: DayState): Piece => ({
  openings: null,
  listed: Array.from({ length: last - first + 1 }, (_, i) => ({
    date: dateOf(first + i),
    state,
    slots: [],
  })),
});

async function* scan(
  rt: Runtime,
  turn: Turn,
  businessId: string,
  plan: Plan,
  days: Days,
): AsyncGenerator<Piece> {
  const reach = reachOf(plan);
  const rows = await loadRows(rt, turn, businessId, overDays(plan, days.first, days.last));
  const ways = plan.segments.reduce((sum, { options }) => sum + options.length, 1);
  const length = Math.min(MOST_DAYS, Math.ceil(HEAVY_WAYS / ways));
  for await (const { first, last } of inTurns(turn, days, length)) {
    const piece = overDays(plan, first, last);
    const { start, end } = busyWindow(piece, reach);
    const openings = openingsOf(
      piece,
      rows.filter(({ startMin, endMin }) => startMin < end && endMin > start),
    );
    yield { openings, listed: listSlots(openings) };
  }
}

async function loadRows(
  rt: Runtime,
  turn: Turn,
  businessId: string,
  plan: Plan,
): Promise<BusyRow[]> {
  const read = busyRowReader(rt, businessId, plan.catalog);
  const window = busyWindow(plan);
  const rows: BusyRow[] = [];
  let endedBy = window.start;
  for await (const { last } of inTurns(
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
