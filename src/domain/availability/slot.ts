import { type Chain, type Step, takeSteps, waysAt } from "./chain.ts";
import { peakOf } from "./usage.ts";
import type { SegmentWays } from "./ways.ts";

/** A visit that can be booked as it stands. */
export type Slot = {
  startMin: number;
  endMin: number;
  /** Of the segment with the fewest left. */
  spotsLeft: number;
  spotsTotal: number;
  segments: SlotSegment[];
};

export type SlotSegment = {
  serviceKey: string | null;
  variantKey: string | null;
  /** The one chosen, and all who could take the segment then. */
  staffKey: string | null;
  staffKeys: string[];
  tableKey: string | null;
  startMin: number;
  endMin: number;
  priceCents: number;
};

export function slotAt(segments: readonly SegmentWays[], chain: Chain, startMin: number): Slot | undefined {
  const steps = takeSteps(chain, startMin);
  if (steps === undefined) return undefined;
  let endMin = startMin;
  let [spotsLeft, spotsTotal] = [Infinity, Infinity];
  const taken: SlotSegment[] = [];
  for (const [i, step] of steps.entries()) {
    const done = segments[i];
    if (done === undefined) break;
    const { option } = step.link.way;
    const able = waysAt(chain, i, step.startMin);
    endMin = step.startMin + option.durationMin;
    const spots = spotsOf(done, step, endMin, able.length);
    if (spots.left < spotsLeft) [spotsLeft, spotsTotal] = [spots.left, spots.total];
    taken.push({
      serviceKey: done.segment.service?.key ?? null,
      variantKey: done.segment.variant?.key ?? null,
      staffKey: option.staff?.key ?? null,
      staffKeys: able.flatMap((way) => way.option.staff?.key ?? []),
      tableKey: option.table?.key ?? null,
      startMin: step.startMin,
      endMin,
      priceCents: option.priceCents,
    });
  }
  return { startMin, endMin, spotsLeft, spotsTotal, segments: taken };
}

/** Seats in the class, places of the pool, tables for the party; an appointment with a person is one. */
function spotsOf(
  { segment, ways, placesTaken }: SegmentWays,
  { link, startMin }: Step,
  endMin: number,
  able: number,
): { left: number; total: number } {
  if (link.way.option.table !== null) return { left: able, total: ways.length };
  const taken =
    placesTaken === undefined
      ? (link.way.sessions.get(startMin)?.seats ?? 0)
      : peakOf(placesTaken, { start: startMin, end: endMin });
  return { left: segment.places - taken, total: segment.places };
}
