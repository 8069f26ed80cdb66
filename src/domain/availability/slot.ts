import { type Chain, type PlacedSegment, placeSegments, candidatesAt } from "./chain.ts";
import { isCapacityOnly, spotsWithin } from "./capacity-limits.ts";
import type { SegmentStarts } from "./segment-starts.ts";

/** A visit that can be booked. */
export type Slot = {
  startMin: number;
  endMin: number;
  /** Spots of the segment with the fewest left. */
  spotsLeft: number;
  spotsTotal: number;
  segments: SlotSegment[];
};

type SlotSegment = {
  serviceKey: string | null;
  variantKey: string | null;
  /** The chosen staff member; `staffKeys` are all who could take the segment. */
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
      staffKey: candidate.staff?.key ?? null,
      staffKeys: available.flatMap(({ candidate }) => candidate.staff?.key ?? []),
      tableKey: candidate.table?.key ?? null,
      startMin: placed.startMin,
      endMin,
      priceCents: candidate.priceCents,
    });
  }
  return { startMin, endMin, spotsLeft, spotsTotal, segments: slotSegments };
}

/** Free tables, seats in the session, or free capacity; a staff member is one spot. */
function spotsOf(
  { segment, candidates, limits }: SegmentStarts,
  { option: { candidate, sessions }, startMin }: PlacedSegment,
  endMin: number,
  available: number,
): Spots {
  if (candidate.table !== null) return { left: available, total: candidates.length };
  if (segment.capacity > 1 && !isCapacityOnly(segment))
    return {
      left: segment.capacity - (sessions.get(startMin)?.seats ?? 0),
      total: segment.capacity,
    };
  if (candidate.staff !== null) return { left: 1, total: 1 };
  return limits
    .map((limit) => spotsWithin(limit, { start: startMin, end: endMin }))
    .reduce((fewest, spots) => (spots.left < fewest.left ? spots : fewest));
}

type Spots = { left: number; total: number };
