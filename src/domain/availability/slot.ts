import {
  type PlacedSegment,
  placeSegments,
  candidatesAt,
  visitStarts,
  type SlotSearch,
  prepareSlotSearch,
} from "./slot-search.ts";
import { isCapacityOnly, spotsWithin } from "./capacity-limits.ts";
import { type SegmentStarts, startedSessions, isOnRequestedDay } from "./segment-starts.ts";
import { type Refusal, refusalAt, timingReason } from "./refusal.ts";
import type { LocalDate } from "../catalog/common.ts";
import { type DayNumber, dateOf, dayAt, daysInterval } from "./wall-clock.ts";
import type { VisitPlan } from "./visit-plan.ts";

export type Slot = {
  startMin: number;
  endMin: number;
  /** The number of spots left in the segment that has the fewest left. */
  spotsLeft: number;
  /** All spots of that segment. */
  spotsTotal: number;
  segments: SlotSegment[];
};

type SlotSegment = {
  serviceKey: string | null;
  variantKey: string | null;
  addons: { addon: string; quantity: number }[];
  /** The chosen staff member; `staffKeys` are all who could take the segment. */
  staffKey: string | null;
  staffKeys: string[];
  tableKey: string | null;
  startMin: number;
  endMin: number;
  priceCents: number;
};

/** Returns the slot at a start; undefined if the visit cannot start then. */
function slotAt({ segments, chain }: SlotSearch, startMin: number): Slot | undefined {
  const placedSegments = placeSegments(chain, startMin);
  if (placedSegments === undefined) return undefined;
  let endMin = startMin;
  let [spotsLeft, spotsTotal] = [Infinity, Infinity];
  const slotSegments: SlotSegment[] = [];
  for (const [i, placed] of placedSegments.entries()) {
    const segmentStarts = segments[i];
    if (segmentStarts === undefined) break;
    const { candidate } = placed.option;
    const available = candidatesAt(chain, i, placed.startMin);
    endMin = placed.startMin + candidate.durationMin;
    const spots = spotsOf(segmentStarts, placed, endMin, available.length);
    if (spots.left < spotsLeft) [spotsLeft, spotsTotal] = [spots.left, spots.total];
    slotSegments.push({
      serviceKey: segmentStarts.segment.service?.key ?? null,
      variantKey: segmentStarts.segment.variant?.key ?? null,
      addons: segmentStarts.segment.addons,
      staffKey: candidate.staff?.key ?? null,
      staffKeys: available.flatMap((option) => option.candidate.staff?.key ?? []),
      tableKey: candidate.table?.key ?? null,
      startMin: placed.startMin,
      endMin,
      priceCents: candidate.priceCents,
    });
  }
  return { startMin, endMin, spotsLeft, spotsTotal, segments: slotSegments };
}

/**
 * Returns the spots of a segment: its free tables, the seats left in its session, one for a staff
 * member, or else the free capacity.
 */
function spotsOf(
  { segment, candidates, limits }: SegmentStarts,
  { option: { candidate, sessions }, startMin }: PlacedSegment,
  endMin: number,
  availableCount: number,
): ReturnType<typeof spotsWithin> {
  if (candidate.table !== null) return { left: availableCount, total: candidates.length };
  if (segment.capacity > 1 && !isCapacityOnly(segment))
    return {
      left: segment.capacity - (sessions.get(startMin)?.seats ?? 0),
      total: segment.capacity,
    };
  if (candidate.staff !== null) return { left: 1, total: 1 };
  const spots = limits.map((limit) => spotsWithin(limit, { start: startMin, end: endMin }));
  return {
    left: Math.min(...spots.map(({ left }) => left)),
    total: Math.min(...spots.map(({ total }) => total)),
  };
}

type StartCheck = { ok: true; slot: Slot } | ({ ok: false } & Refusal);

/**
 * Returns the slot at a start, or why there is none. Bookings and explanations use this check,
 * which accepts exactly the starts that are listed.
 * @param startMin a minute on one of the requested days
 */
export function checkStart(search: SlotSearch, startMin: number): StartCheck {
  if (!isOnRequestedDay(search.plan, startMin))
    throw new RangeError(`Minute ${startMin} is not on a requested day.`);
  const reason = timingReason(search.plan, startMin);
  if (reason !== undefined) return { ok: false, reason, segment: 0 };
  const slot = slotAt(search, startMin);
  return slot === undefined ? { ok: false, ...refusalAt(search, startMin) } : { ok: true, slot };
}

export type RefusedStart = { startMin: number } & Refusal;

/**
 * Returns each start of the grid or of a session that is not offered, with the reason. If nobody
 * can take the first segment, the grid is that of the business.
 */
export function listRefusedStarts(search: SlotSearch): RefusedStart[] {
  const { plan, busy, grid, segments } = search;
  const starts = new Set<number>();
  // A visit starts when its first segment starts, so the other segments do not matter here.
  for (const { segment } of segments.slice(0, 1)) {
    const { candidates } = segment;
    const people = candidates.length === 0 ? [null] : candidates.map(({ staff }) => staff);
    for (const person of new Set(people)) for (const minute of grid(person)) starts.add(minute);
    for (const candidate of candidates)
      for (const { startMin } of startedSessions(busy, segment, candidate))
        if (isOnRequestedDay(plan, startMin)) starts.add(startMin);
  }
  return [...starts]
    .sort((a, b) => a - b)
    .flatMap((startMin) => {
      const check = checkStart(search, startMin);
      return check.ok ? [] : [{ startMin, reason: check.reason, segment: check.segment }];
    });
}

export type DayState = "OPEN" | "FULL" | "CLOSED" | "TOO_SOON" | "TOO_FAR";
export type DayStarts = { date: LocalDate; state: DayState; starts: number[] };
export type DayListing = { date: LocalDate; state: DayState; slots: Slot[] };

/** Returns the starts of all slots, in order. */
const bookableStarts = ({ plan, chain }: SlotSearch): number[] =>
  visitStarts(chain).filter((minute) => timingReason(plan, minute) === undefined);

const slotsAt = (search: SlotSearch, starts: readonly number[]): Slot[] =>
  starts.flatMap((minute) => slotAt(search, minute) ?? []);

/** Returns the first `limit` slots over all requested days, in order. */
export const findSlots = (search: SlotSearch, limit: number): Slot[] =>
  slotsAt(search, bookableStarts(search).slice(0, limit));

/**
 * Returns each requested day with the starts of its slots. Computing only starts is much cheaper
 * than `listSlots`.
 */
export function listStarts(search: SlotSearch): DayStarts[] {
  const { plan } = search;
  const byDay = Map.groupBy(bookableStarts(search), (minute) => dayAt(plan.timezone, minute));
  const stateOf = createEmptyDayState(plan);
  return Array.from({ length: plan.lastDay - plan.firstDay + 1 }, (_, i) => {
    const day = plan.firstDay + i;
    const starts = byDay.get(day) ?? [];
    return { date: dateOf(day), state: starts.length > 0 ? "OPEN" : stateOf(day), starts };
  });
}

/** Returns each requested day with the slots that start on it. */
export const listSlots = (search: SlotSearch): DayListing[] =>
  listStarts(search).map(({ date, state, starts }) => ({
    date,
    state,
    slots: slotsAt(search, starts),
  }));

/**
 * Returns a function that says why a day has no slots: TOO_FAR, TOO_SOON, FULL if only bookings
 * prevent them, else CLOSED.
 */
function createEmptyDayState(plan: VisitPlan): (day: DayNumber) => DayState {
  let startsWithoutBookings: Map<DayNumber, number[]> | undefined;
  return (day) => {
    if (day > plan.horizonDay) return "TOO_FAR";
    const { end } = daysInterval(plan.timezone, day, day);
    if (end <= plan.earliestMin) return "TOO_SOON";
    startsWithoutBookings ??= Map.groupBy(
      visitStarts(prepareSlotSearch(plan, []).chain),
      (minute) => dayAt(plan.timezone, minute),
    );
    const starts = startsWithoutBookings.get(day) ?? [];
    if (starts.length === 0) return "CLOSED";
    return starts.some((minute) => minute >= plan.earliestMin) ? "FULL" : "TOO_SOON";
  };
}
