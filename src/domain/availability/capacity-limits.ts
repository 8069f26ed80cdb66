import { type BusyIndex, blockedInterval, unitsUsed } from "./busy-index.ts";
import type { Interval } from "./intervals.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Segment } from "./segment.ts";
import { peakOf, timeAbove, type Usage, usageOf } from "./usage.ts";

/** Something of which several can be in use at once: a resource, or the places of a service that has nothing else to limit it. */
export type CapacityLimit = {
  /** null: the service's own places. */
  resource: string | null;
  capacity: number;
  unitsPerSpot: number;
  usage: Usage;
  /** When less is left than the segment wants. */
  shortages: Interval[];
};

/** Neither a person nor a resource is needed (a sauna): guests come and go as they like, while there are places. */
export const isCapacityOnly = ({ service, candidates, resources }: Segment): boolean =>
  service !== null && resources.length === 0 && candidates.every(({ staff }) => staff === null);

export function capacityLimits(
  plan: VisitPlan,
  busy: BusyIndex,
  segment: Segment,
): CapacityLimit[] {
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  const usageBy = (rows: readonly BusyInterval[], units: (row: BusyInterval) => number): Usage =>
    usageOf(
      rows.map((row) => ({ kept: blockedInterval(row, segment, bufferPolicy), units: units(row) })),
    );

  if (segment.service !== null && isCapacityOnly(segment)) {
    const usage = usageBy(busy.ofService(segment.service.key), ({ seats }) => seats);
    const shortages = shortagesIn(usage, segment.capacity, segment.seats);
    return [{ resource: null, capacity: segment.capacity, unitsPerSpot: 1, usage, shortages }];
  }
  const needed = new Set(segment.resources.map(({ resource }) => resource));
  return [...needed].map((key) => {
    const doc = plan.catalog.objects.resource.find(
      (resource) => resource.key === key && resource.status === "ACTIVE",
    );
    const capacity = doc?.capacity ?? 0;
    const usage = usageBy(busy.ofResource(key), (row) => unitsUsed(row, key));
    const wanted = unitsUsed(segment, key);
    return {
      resource: key,
      capacity,
      unitsPerSpot: wanted,
      usage,
      shortages: shortagesIn(usage, capacity, wanted),
    };
  });
}

const ALWAYS: Interval = { start: -Infinity, end: Infinity };

const shortagesIn = (usage: Usage, capacity: number, wanted: number): Interval[] =>
  wanted > capacity ? [ALWAYS] : timeAbove(usage, capacity - wanted);

export const spotsWithin = (
  { usage, capacity, unitsPerSpot }: CapacityLimit,
  span: Interval,
): { left: number; total: number } => ({
  left: Math.floor((capacity - peakOf(usage, span)) / unitsPerSpot),
  total: Math.floor(capacity / unitsPerSpot),
});
