import { type Chain, type PlacedSegment, placeSegments, candidatesAt } from "./chain.ts";
import { isCapacityOnly, spotsWithin } from "./capacity-limits.ts";
import type { SegmentStarts } from "./segment-starts.ts";

/** A visit that can be booked as it stands. */
export type Slot = {
  startMin: number;
  endMin: number;
  /** Of the segment with the fewest left. */
  spotsLeft: number;
  spotsTotal: number;
  segments: SlotSegment[];
};

type SlotSegment = {
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

export function slotAt(
  segments: readonly SegmentStarts[],
  chain: Chain,
  startMin: number,
): Slot | undefined {
  const steps = placeSegments(chain, startMin);
  if (steps === undefined) return undefined;
  let endMin = startMin;
  let [spotsLeft, spotsTotal] = [Infinity, Infinity];
  const taken: SlotSegment[] = [];
  for (const [i, step] of steps.entries()) {
    const done = segments[i];
    if (done === undefined) break;
    const { candidate } = step.way;
    const able = candidatesAt(chain, i, step.startMin);
    endMin = step.startMin + candidate.durationMin;
    const spots = spotsOf(done, step, endMin, able.length);
    if (spots.left < spotsLeft) [spotsLeft, spotsTotal] = [spots.left, spots.total];
    taken.push({
      serviceKey: done.segment.service?.key ?? null,
      variantKey: done.segment.variant?.key ?? null,
      staffKey: candidate.staff?.key ?? null,
      staffKeys: able.flatMap((way) => way.candidate.staff?.key ?? []),
      tableKey: candidate.table?.key ?? null,
      startMin: step.startMin,
      endMin,
      priceCents: candidate.priceCents,
    });
  }
  return { startMin, endMin, spotsLeft, spotsTotal, segments: taken };
}

/** Tables for the party, seats in the class, or what the resources and places allow; with a person there is one. */
function spotsOf(
  { segment, candidates, limits }: SegmentStarts,
  { way: { candidate, sessions }, startMin }: PlacedSegment,
  endMin: number,
  able: number,
): Spots {
  if (candidate.table !== null) return { left: able, total: candidates.length };
  if (segment.capacity > 1 && !isCapacityOnly(segment))
    return {
      left: segment.capacity - (sessions.get(startMin)?.seats ?? 0),
      total: segment.capacity,
    };
  if (candidate.staff !== null) return { left: 1, total: 1 };
  return limits
    .map((limit) => spotsWithin(limit, { start: startMin, end: endMin }))
    .reduce((scarcest, spots) => (spots.left < scarcest.left ? spots : scarcest));
}

type Spots = { left: number; total: number };
