import type { Busy } from "./busy.ts";
import { covers } from "./intervals.ts";
import { isPool } from "./limits.ts";
import type { Plan } from "./plan.ts";
import type { BusyRow } from "./question.ts";
import type { Option, Segment } from "./segment.ts";

/**
 * The started classes that a guest can join, by when they start. Their teacher and their room are theirs already, so that only
 * seats count, and that they are still held: hours may have changed since.
 */
export function sessionsToJoin(
  plan: Plan,
  busy: Busy,
  segment: Segment,
  option: Option,
): Map<number, BusyRow> {
  const started = sessionsOf(busy, segment, option).filter(
    (session) =>
      session.seats + segment.seats <= segment.places &&
      covers(plan.timeOf(option.staff ?? undefined).work, {
        start: session.startMin,
        end: session.endMin,
      }),
  );
  return new Map(started.map((session) => [session.startMin, session]));
}

/** Started classes that are as long as the segment: with an add-on that takes longer it is another one. */
export function sessionsOf(
  busy: Busy,
  segment: Segment,
  { staff, durationMin }: Option,
): BusyRow[] {
  const { service, places } = segment;
  if (service === null || places === 1 || isPool(segment)) return [];
  return busy
    .ofService(service.key)
    .filter(
      (row) => row.staffKey === (staff?.key ?? null) && row.endMin - row.startMin === durationMin,
    );
}
