import { blockedInterval } from "./busy-index.ts";
import { covers, type Interval, intersect, merge, overlaps } from "./intervals.ts";
import type { SlotSearch } from "./slot-search.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { Candidate } from "./segment.ts";
import { startedSessions } from "./sessions.ts";
import { busyIntervalsFor, type SegmentStarts } from "./segment-starts.ts";
import { dayAt } from "./wall-clock.ts";

/** Why a visit cannot begin at a minute, in the order in which the rules are asked. */
export const REASONS = [
  "TOO_FAR",
  "TOO_SOON",
  "NOBODY_ABLE",
  "OUTSIDE_HOURS",
  "CLOSURE",
  "BREAK",
  "TIME_OFF",
  "OFF_GRID",
  "SEATS_TAKEN",
  "TAKEN",
  "BUFFER",
  "RESOURCE_TAKEN",
] as const;

type Reason = (typeof REASONS)[number];

/** The first rule that fails, and for which segment of the visit. */
export type Refusal = { reason: Reason; segment: number };

export function timingOf(
  { timezone, earliestMin, horizonDay }: VisitPlan,
  minute: number,
): "TOO_FAR" | "TOO_SOON" | undefined {
  if (dayAt(timezone, minute) > horizonDay) return "TOO_FAR";
  return minute < earliestMin ? "TOO_SOON" : undefined;
}

/** Follows the visit as far as it goes; there, of all who could go on, what stops the one who comes furthest. */
export function refusalAt(openings: SlotSearch, startMin: number): Refusal {
  const { maxGapMin } = openings.chain;
  let reached: Interval[] = [{ start: startMin, end: startMin + 1 }];
  for (const [segment, done] of openings.segments.entries()) {
    const minute = reached[0]?.start ?? startMin;
    const onward = done.candidates.flatMap(({ candidate, starts }) =>
      intersect(starts, reached).map(({ start, end }) => ({
        start: start + candidate.durationMin,
        end: end + candidate.durationMin + maxGapMin,
      })),
    );
    if (onward.length === 0)
      return { reason: furthest(openings, done, segment === 0, minute), segment };
    reached = merge(onward);
  }
  throw new Error(`The visit at ${startMin} is refused for no reason.`);
}

function furthest(
  openings: SlotSearch,
  done: SegmentStarts,
  isFirst: boolean,
  minute: number,
): Reason {
  const reasons = new Set(
    done.candidates.map(({ candidate }) => reasonOf(openings, done, candidate, isFirst, minute)),
  );
  return REASONS.findLast((reason) => reasons.has(reason)) ?? "NOBODY_ABLE";
}

function reasonOf(
  { plan, busy, grid }: SlotSearch,
  { segment, limits }: SegmentStarts,
  option: Candidate,
  isFirst: boolean,
  minute: number,
): Reason {
  const span = { start: minute, end: minute + option.durationMin };
  const meets = ({ start, end }: Interval): boolean => start < span.end && span.start < end;

  const time = plan.timeOf(option.staff ?? undefined);
  if (!covers(time.shifts, span)) return "OUTSIDE_HOURS";
  if (overlaps(time.closures, span)) return "CLOSURE";
  if (overlaps(time.breaks, span)) return "BREAK";
  if (overlaps(time.timeOff, span)) return "TIME_OFF";

  const started = startedSessions(busy, segment, option).some(
    ({ startMin }) => startMin === minute,
  );
  if (started) return "SEATS_TAKEN";
  if (isFirst && !grid(option).has(minute)) return "OFF_GRID";

  const rows = busyIntervalsFor(busy, option);
  if (rows.some(({ startMin, endMin }) => meets({ start: startMin, end: endMin }))) return "TAKEN";
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  if (rows.some((row) => meets(blockedInterval(row, segment, bufferPolicy)))) return "BUFFER";
  const lacks = limits.some(
    ({ resource, shortages }) => resource !== null && shortages.some(meets),
  );
  return lacks ? "RESOURCE_TAKEN" : "SEATS_TAKEN";
}
