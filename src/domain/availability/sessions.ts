import type { BusyIndex } from "./busy-index.ts";
import { covers } from "./intervals.ts";
import { isCapacityOnly } from "./capacity-limits.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Candidate, Segment } from "./segment.ts";

/**
 * The sessions of a group service that guests can join, by start minute. Staff and resources are
 * already reserved, so only seats and current working hours are checked.
 */
export function joinableSessions(
  plan: VisitPlan,
  busy: BusyIndex,
  segment: Segment,
  candidate: Candidate,
): Map<number, BusyInterval> {
  const joinable = startedSessions(busy, segment, candidate).filter(
    (session) =>
      session.seats + segment.seats <= segment.capacity &&
      covers(plan.workingTimeOf(candidate.staff ?? undefined).work, {
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
