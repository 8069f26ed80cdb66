import type { BusyIndex } from "./busy-index.ts";
import { covers } from "./intervals.ts";
import { isCapacityOnly } from "./capacity-limits.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Candidate, Segment } from "./segment.ts";

/**
 * The started classes that a guest can join, by when they start. Their teacher and their room are theirs already, so that only
 * seats count, and that they are still held: hours may have changed since.
 */
export function joinableSessions(
  plan: VisitPlan,
  busy: BusyIndex,
  segment: Segment,
  option: Candidate,
): Map<number, BusyInterval> {
  const started = startedSessions(busy, segment, option).filter(
    (session) =>
      session.seats + segment.seats <= segment.capacity &&
      covers(plan.timeOf(option.staff ?? undefined).work, {
        start: session.startMin,
        end: session.endMin,
      }),
  );
  return new Map(started.map((session) => [session.startMin, session]));
}

/** Started classes that are as long as the segment: with an add-on that takes longer it is another one. */
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
      (row) => row.staffKey === (staff?.key ?? null) && row.endMin - row.startMin === durationMin,
    );
}
