import { type Chain, type Step, takeSteps, waysAt } from "./chain.ts";
import { isPool, spotsWithin } from "./limits.ts";
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
  segments: readonly SegmentWays[],
  chain: Chain,
  startMin: number,
): Slot | undefined {
  const steps = takeSteps(chain, startMin);
  if (steps === undefined) return undefined;
  let endMin = startMin;
  let [spotsLeft, spotsTotal] = [Infinity, Infinity];
  const taken: SlotSegment[] = [];
  for (const [i, step] of steps.entries()) {
    const done = segments[i];
    if (done === undefined) break;
    const { option } = step.way;
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

/** Tables for the party, seats in the class, or what the resources and places allow; with a person there is one. */
function spotsOf(
  { segment, ways, limits }: SegmentWays,
  { way: { option, sessions }, startMin }: Step,
  endMin: number,
  able: number,
): Spots {
  if (option.table !== null) return { left: able, total: ways.length };
  if (segment.places > 1 && !isPool(segment))
    return { left: segment.places - (sessions.get(startMin)?.seats ?? 0), total: segment.places };
  if (option.staff !== null) return { left: 1, total: 1 };
  return limits
    .map((limit) => spotsWithin(limit, { start: startMin, end: endMin }))
    .reduce((scarcest, spots) => (spots.left < scarcest.left ? spots : scarcest));
}

type Spots = { left: number; total: number };
