import { blockedInterval } from "./busy-intervals.ts";
import { covers, type Interval, intersect, merge, overlaps } from "./intervals.ts";
import type { SlotSearch } from "./slot-search.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { Candidate } from "./segments.ts";
import { startedSessions, busyIntervalsFor, type SegmentStarts } from "./segment-starts.ts";
import { dayAt } from "./wall-clock.ts";

/** The rules that a start can break, from the most general to the most specific. */
export const REASONS = [
  "TOO_FAR",
  "TOO_SOON",
  "NOBODY_ABLE",
  "CLOSURE",
  "OUTSIDE_HOURS",
  "BREAK",
  "TIME_OFF",
  "OFF_GRID",
  "SEATS_TAKEN",
  "TAKEN",
  "BUFFER",
  "RESOURCE_TAKEN",
] as const;

export type Reason = (typeof REASONS)[number];

/**
 * The reasons for a client that may not read bookings. TAKEN stands for all other reasons, so that
 * the client does not learn why a time is taken.
 */
const PUBLIC_REASONS: Partial<Record<Reason, Reason>> = {
  TOO_FAR: "TOO_FAR",
  TOO_SOON: "TOO_SOON",
  CLOSURE: "OUTSIDE_HOURS",
  OUTSIDE_HOURS: "OUTSIDE_HOURS",
  OFF_GRID: "OFF_GRID",
};

export const publicReason = (reason: Reason): Reason => PUBLIC_REASONS[reason] ?? "TAKEN";

/** Why a visit cannot start at a time. `segment` is the index of the first segment that fails. */
export type Refusal = { reason: Reason; segment: number };

export function timingReason(
  { timezone, earliestMin, horizonDay }: VisitPlan,
  minute: number,
): "TOO_FAR" | "TOO_SOON" | undefined {
  if (dayAt(timezone, minute) > horizonDay) return "TOO_FAR";
  return minute < earliestMin ? "TOO_SOON" : undefined;
}

/**
 * Returns which segment is the first to fail if the visit starts at `startMin`, and why. If its
 * candidates break different rules, the reason is the one that comes last in `REASONS`.
 */
export function refusalAt(search: SlotSearch, startMin: number): Refusal {
  const { maxGapMin } = search.chain;
  // The minutes at which the current segment can start after the segments before it.
  let reachable: Interval[] = [{ start: startMin, end: startMin + 1 }];
  for (const [segment, segmentStarts] of search.segments.entries()) {
    const earliestStart = reachable[0]?.start ?? startMin;
    const startsOfNext = segmentStarts.candidates.flatMap(({ candidate, starts }) =>
      intersect(starts, reachable).map(({ start, end }) => ({
        start: start + candidate.durationMin,
        end: end + candidate.durationMin + maxGapMin,
      })),
    );
    if (startsOfNext.length === 0)
      return { reason: latestReason(search, segmentStarts, segment === 0, earliestStart), segment };
    reachable = merge(startsOfNext);
  }
  throw new Error(`Found no reason to refuse the visit at ${startMin}.`);
}

function latestReason(
  search: SlotSearch,
  segmentStarts: SegmentStarts,
  isFirst: boolean,
  minute: number,
): Reason {
  const reasons = new Set(
    segmentStarts.candidates.map(({ candidate }) =>
      reasonOf(search, segmentStarts, candidate, isFirst, minute),
    ),
  );
  return REASONS.findLast((reason) => reasons.has(reason)) ?? "NOBODY_ABLE";
}

function reasonOf(
  { plan, busy, grid }: SlotSearch,
  { segment, limits }: SegmentStarts,
  candidate: Candidate,
  isFirst: boolean,
  minute: number,
): Reason {
  const span = { start: minute, end: minute + candidate.durationMin };
  const overlapsSpan = ({ start, end }: Interval): boolean => start < span.end && span.start < end;

  const time = plan.workingTimeOf(candidate.staff);
  if (overlaps(time.closures, span)) return "CLOSURE";
  if (!covers(time.shifts, span)) return "OUTSIDE_HOURS";
  if (overlaps(time.breaks, span)) return "BREAK";
  if (overlaps(time.timeOff, span)) return "TIME_OFF";

  // A session that starts at this minute has too few seats left. Guests could join a session with
  // enough seats, and this start would not be refused.
  const lacksSeats = startedSessions(busy, segment, candidate).some(
    ({ startMin }) => startMin === minute,
  );
  if (lacksSeats) return "SEATS_TAKEN";
  if (isFirst && !grid(candidate.staff).has(minute)) return "OFF_GRID";

  const intervals = busyIntervalsFor(busy, candidate);
  if (intervals.some(({ startMin, endMin }) => overlapsSpan({ start: startMin, end: endMin })))
    return "TAKEN";
  if (intervals.some((interval) => overlapsSpan(blockedInterval(plan, interval, segment))))
    return "BUFFER";
  const lacksResource = limits.some(
    ({ resource, shortages }) => resource !== null && shortages.some(overlapsSpan),
  );
  return lacksResource ? "RESOURCE_TAKEN" : "SEATS_TAKEN";
}

export const REFUSAL_TEXT: Record<Refusal["reason"], string> = {
  TOO_FAR: "it is too far in the future",
  TOO_SOON: "the minimum notice is not met",
  NOBODY_ABLE: "no staff member or table can take it",
  OUTSIDE_HOURS: "it is outside working hours",
  CLOSURE: "the business is closed",
  BREAK: "it overlaps a break",
  TIME_OFF: "the staff member has time off",
  OFF_GRID: "visits start at other times",
  SEATS_TAKEN: "not enough places are left",
  TAKEN: "it is already booked",
  BUFFER: "it is too close to another booking",
  RESOURCE_TAKEN: "a required resource is in use",
};

/** Returns the detail. A prefix such as `service 2: ` names any service but the first. */
export const refusalSentence = (detail: string, segment: number): string =>
  segment === 0 ? detail : `service ${segment + 1}: ${detail}`;
