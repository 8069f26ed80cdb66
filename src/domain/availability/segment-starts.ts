import { type BusyIndex, blockedInterval } from "./busy-intervals.ts";
import { type Grid, isOnRequestedDay } from "./grid.ts";
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
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Candidate, Segment } from "./segments.ts";

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

/** A visit starts on the grid or with a session. */
export const findSegmentStarts = (plan: VisitPlan, busy: BusyIndex, grid: Grid): SegmentStarts[] =>
  plan.segments.map((segment, i) => {
    const limits = capacityLimits(plan, busy, segment);
    const shortages = limits.flatMap((limit) => limit.shortages);
    const candidates = segment.candidates.map((candidate) => {
      const started = startedSessions(busy, segment, candidate);
      const sessions = joinableSessions(plan, started, segment, candidate);
      // Guests of the same service, staff and time are in the same session, even if it is full and
      // its resources could hold another one.
      const free = subtract(
        freeStarts(plan, busy, segment, candidate, shortages),
        merge(started.map(({ startMin }) => oneMinute(startMin))),
      );
      const joined = [...sessions.keys()];
      const starts =
        i > 0
          ? [...free, ...joined.map(oneMinute)]
          : [
              ...minutesWithin(grid(candidate.staff), free),
              ...joined.filter((minute) => isOnRequestedDay(plan, minute)),
            ].map(oneMinute);
      return { candidate, sessions, starts: merge(starts) };
    });
    return { segment, candidates, limits };
  });

const oneMinute = (minute: number): Interval => ({ start: minute, end: minute + 1 });

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
 * The sessions of a group service that guests can join, by start minute. Staff and resources are
 * already reserved, so only seats and current working hours are checked.
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

/** Sessions as long as the segment: with a longer add-on it is a different session. */
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
