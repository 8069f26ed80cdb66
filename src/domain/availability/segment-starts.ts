import type { StaffDoc } from "../catalog/catalog.ts";
import { memoized } from "../lazy.ts";
import { DAY_MIN, dayAt, instantsOf } from "./wall-clock.ts";
import type { VisitPlan } from "./visit-plan.ts";
import { type BusyIndex, blockedInterval } from "./busy-intervals.ts";
import {
  minutesWithin,
  type Interval,
  merge,
  startsOverlapping,
  startsWithin,
  subtract,
  covers,
} from "./intervals.ts";
import { type CapacityLimit, capacityLimits, isCapacityOnly } from "./capacity-limits.ts";
import type { BusyInterval } from "./request.ts";
import type { Candidate, Segment } from "./segments.ts";

/**
 * Returns, in order, the minutes on the requested days that the grid offers as starts of a visit
 * with `staff`. If `staff` is null, the grid is that of the business.
 */
export type Grid = (staff: StaffDoc | null) => ReadonlySet<number>;

export function buildGrid(plan: VisitPlan): Grid {
  if (plan.onlyStartMin !== undefined) {
    const starts = new Set([plan.onlyStartMin]);
    return () => starts;
  }
  if (plan.catalog.business.bookingPolicy.grid === "CLOCK") {
    const minutes = clockGrid(plan);
    return () => minutes;
  }
  return memoized((staff: StaffDoc | null) => openingGrid(plan, staff));
}

/**
 * Returns the starts in steps of `intervalMin`, counted from midnight. A time that clocks skip is
 * left out; a time that clocks repeat gives two starts.
 */
function clockGrid({ timezone, firstDay, lastDay, intervalMin }: VisitPlan): Set<number> {
  const minutes: number[] = [];
  for (let day = firstDay; day <= lastDay; day += 1)
    for (let clock = 0; clock < DAY_MIN; clock += intervalMin)
      minutes.push(...instantsOf(timezone, day * DAY_MIN + clock));
  return new Set(minutes.sort((a, b) => a - b));
}

/**
 * Returns the starts in steps of `intervalMin`, counted in elapsed minutes from the start of each
 * shift of the person or the business.
 */
function openingGrid(plan: VisitPlan, staff: StaffDoc | null): Set<number> {
  const minutes: number[] = [];
  for (const { start, end } of plan.workingTimeOf(staff).unmergedShifts)
    for (let minute = start; minute < end; minute += plan.intervalMin)
      if (isOnRequestedDay(plan, minute)) minutes.push(minute);
  return new Set(minutes.sort((a, b) => a - b));
}

export function isOnRequestedDay(
  { timezone, firstDay, lastDay }: VisitPlan,
  minute: number,
): boolean {
  const day = dayAt(timezone, minute);
  return firstDay <= day && day <= lastDay;
}

export type CandidateStarts = {
  candidate: Candidate;
  starts: Interval[];
  /** The sessions that can be joined, by start minute. */
  sessions: ReadonlyMap<number, BusyInterval>;
};

export type SegmentStarts = {
  segment: Segment;
  candidates: CandidateStarts[];
  limits: CapacityLimit[];
};

/** Returns the starts of each segment. The first segment starts on the grid or with a session. */
export const findSegmentStarts = (plan: VisitPlan, busy: BusyIndex, grid: Grid): SegmentStarts[] =>
  plan.segments.map((segment, i) => {
    const limits = capacityLimits(plan, busy, segment);
    const shortages = limits.flatMap((limit) => limit.shortages);
    const candidates = segment.candidates.map((candidate) => {
      const started = startedSessions(busy, segment, candidate);
      const sessions = joinableSessions(plan, started, segment, candidate);
      // Guests of the same service, staff and time are in one session. No second session starts at
      // that time, even if the first is full and there are resources for another.
      const free = subtract(
        freeStarts(plan, busy, segment, candidate, shortages),
        merge(started.map(({ startMin }) => oneMinute(startMin))),
      );
      const sessionMinutes = [...sessions.keys()];
      const starts =
        i > 0
          ? [...free, ...sessionMinutes.map(oneMinute)]
          : [
              ...minutesWithin(grid(candidate.staff), free),
              ...sessionMinutes.filter((minute) => isOnRequestedDay(plan, minute)),
            ].map(oneMinute);
      return { candidate, sessions, starts: merge(starts) };
    });
    return { segment, candidates, limits };
  });

const oneMinute = (minute: number): Interval => ({ start: minute, end: minute + 1 });

/** Returns the starts at which the candidate works and is free, and no capacity is short. */
function freeStarts(
  plan: VisitPlan,
  busy: BusyIndex,
  segment: Segment,
  candidate: Candidate,
  shortages: Interval[],
): Interval[] {
  const blocked = busyIntervalsFor(busy, candidate).map((interval) =>
    blockedInterval(plan, interval, segment),
  );
  return subtract(
    startsWithin(plan.workingTimeOf(candidate.staff).work, candidate.durationMin),
    startsOverlapping([...blocked, ...shortages], candidate.durationMin),
  );
}

export function busyIntervalsFor(
  busy: BusyIndex,
  { staff, table }: Candidate,
): readonly BusyInterval[] {
  if (staff !== null) return busy.ofStaff(staff.key);
  return table === null ? [] : busy.ofTable(table.key);
}

/**
 * Returns the sessions of a group service that guests can join, by start minute. The staff and
 * resources of a session are already reserved, so only seats and current working hours are checked.
 */
function joinableSessions(
  plan: VisitPlan,
  started: readonly BusyInterval[],
  segment: Segment,
  candidate: Candidate,
): Map<number, BusyInterval> {
  const joinable = started.filter(
    (session) =>
      session.seats + segment.seats <= segment.capacity &&
      covers(plan.workingTimeOf(candidate.staff).work, {
        start: session.startMin,
        end: session.endMin,
      }),
  );
  return new Map(joinable.map((session) => [session.startMin, session]));
}

/**
 * Returns the sessions of the segment's group service with the candidate's staff member and
 * duration. Guests whose add-on takes longer need another session.
 */
export function startedSessions(
  busy: BusyIndex,
  segment: Segment,
  { staff, durationMin }: Candidate,
): BusyInterval[] {
  const { service, capacity } = segment;
  if (service === null || capacity === 1 || isCapacityOnly(segment)) return [];
  return busy
    .ofService(service.key)
    .filter(
      (session) =>
        session.staffKey === (staff?.key ?? null) &&
        session.endMin - session.startMin === durationMin,
    );
}
