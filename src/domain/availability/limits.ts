import { type Busy, keptFrom, unitsOf } from "./busy.ts";
import type { Interval } from "./intervals.ts";
import type { Plan } from "./plan.ts";
import type { Segment } from "./segment.ts";
import { peakOf, timeAbove, type Usage, usageOf } from "./usage.ts";

/** Something of which several can be in use at once: a resource, or the places of a service that has nothing else to limit it. */
export type Limit = {
  /** null: the service's own places. */
  resource: string | null;
  capacity: number;
  /** What the segment wants of it, and what one spot takes. */
  wanted: number;
  unitsPerSpot: number;
  usage: Usage;
};

/** Neither a person nor a resource is needed (a sauna): guests come and go as they like, while there are places. */
export const isPool = ({ service, options, resources }: Segment): boolean =>
  service !== null && resources.length === 0 && options.every(({ staff }) => staff === null);

export function limitsOf(plan: Plan, busy: Busy, segment: Segment): Limit[] {
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  if (segment.service !== null && isPool(segment)) {
    const rows = busy.ofService(segment.service.key);
    const usage = usageOf(rows.map((row) => ({ kept: keptFrom(row, segment, bufferPolicy), units: row.seats })));
    return [{ resource: null, capacity: segment.places, wanted: segment.seats, unitsPerSpot: 1, usage }];
  }
  const needed = new Set(segment.resources.map(({ resource }) => resource));
  return [...needed].map((key) => {
    const doc = plan.catalog.objects.resource.find((resource) => resource.key === key && resource.status === "ACTIVE");
    const rows = busy.ofResource(key);
    const usage = usageOf(
      rows.map((row) => ({ kept: keptFrom(row, segment, bufferPolicy), units: unitsOf(row, key) })),
    );
    const wanted = unitsOf(segment, key);
    return { resource: key, capacity: doc?.capacity ?? 0, wanted, unitsPerSpot: wanted, usage };
  });
}

const ALWAYS: Interval = { start: -Infinity, end: Infinity };

/** When less is left than the segment wants. */
export const shortagesOf = ({ usage, capacity, wanted }: Limit): Interval[] =>
  wanted > capacity ? [ALWAYS] : timeAbove(usage, capacity - wanted);

export const spotsWithin = (
  { usage, capacity, unitsPerSpot }: Limit,
  span: Interval,
): { left: number; total: number } => ({
  left: Math.floor((capacity - peakOf(usage, span)) / unitsPerSpot),
  total: Math.floor(capacity / unitsPerSpot),
});
