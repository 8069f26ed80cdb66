import { type BusyIndex, blockedInterval, unitsUsed } from "./busy-intervals.ts";
import { findByKey } from "../catalog/doc-index.ts";
import type { Interval } from "./intervals.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Segment } from "./segments.ts";

/** The capacity of a resource, or of the service itself. */
export type CapacityLimit = {
  /** The key of the resource; null if the limit is the capacity of the service. */
  resource: string | null;
  capacity: number;
  /** The units that a spot takes. A spot is for a visit or, if `resource` is null, for a guest. */
  unitsPerSpot: number;
  usage: Usage;
  /** The times at which fewer units are left than the segment needs. */
  shortages: Interval[];
};

/**
 * Returns whether a segment needs neither staff nor resources, such as a sauna: guests come and go
 * within its capacity.
 */
export const isCapacityOnly = ({ service, candidates, resources }: Segment): boolean =>
  service !== null && resources.length === 0 && candidates.every(({ staff }) => staff === null);

/**
 * Returns the limits on a segment: the capacity of its service if it needs neither staff nor
 * resources, otherwise the capacity of each resource that it needs.
 */
export function capacityLimits(
  plan: VisitPlan,
  busy: BusyIndex,
  segment: Segment,
): CapacityLimit[] {
  const usageIn = (
    intervals: readonly BusyInterval[],
    unitsOf: (interval: BusyInterval) => number,
  ): Usage =>
    usageOf(
      intervals.map((interval) => ({
        blocked: blockedInterval(plan, interval, segment),
        units: unitsOf(interval),
      })),
    );

  if (segment.service !== null && isCapacityOnly(segment)) {
    const usage = usageIn(busy.ofService(segment.service.key), ({ seats }) => seats);
    const shortages = shortagesIn(usage, segment.capacity, segment.seats);
    return [{ resource: null, capacity: segment.capacity, unitsPerSpot: 1, usage, shortages }];
  }
  const resourceKeys = new Set(segment.resources.map(({ resource }) => resource));
  return [...resourceKeys].map((key) => {
    const doc = findByKey<"resource">(plan.catalog.objects.resource, key);
    const capacity = doc?.status === "ACTIVE" ? doc.capacity : 0;
    const usage = usageIn(busy.ofResource(key), (interval) => unitsUsed(interval, key));
    const needed = unitsUsed(segment, key);
    return {
      resource: key,
      capacity,
      unitsPerSpot: needed,
      usage,
      shortages: shortagesIn(usage, capacity, needed),
    };
  });
}

const ALWAYS: Interval = { start: -Infinity, end: Infinity };

const shortagesIn = (usage: Usage, capacity: number, needed: number): Interval[] =>
  needed > capacity ? [ALWAYS] : timeAbove(usage, capacity - needed);

/** Returns how many spots are left in the span, and how many there would be without bookings. */
export const spotsWithin = (
  { usage, capacity, unitsPerSpot }: CapacityLimit,
  span: Interval,
): { left: number; total: number } => ({
  left: Math.floor((capacity - peakOf(usage, span)) / unitsPerSpot),
  total: Math.floor(capacity / unitsPerSpot),
});

/** The units in use from the minute `at` until the next step. */
type UsageStep = { at: number; units: number };

/** The units in use over time, sorted by minute. Nothing is in use before the first step. */
export type Usage = readonly UsageStep[];

function usageOf(uses: readonly { blocked: Interval; units: number }[]): Usage {
  const changes = new Map<number, number>();
  const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const { blocked, units } of uses) {
    change(blocked.start, units);
    change(blocked.end, -units);
  }
  let units = 0;
  return [...changes].sort(([a], [b]) => a - b).map(([at, by]) => ({ at, units: (units += by) }));
}

/** Returns the intervals in which more than `units` units are in use. */
function timeAbove(usage: Usage, units: number): Interval[] {
  const above: Interval[] = [];
  let since: number | undefined;
  for (const step of usage) {
    if (step.units > units) since ??= step.at;
    else if (since !== undefined) {
      above.push({ start: since, end: step.at });
      since = undefined;
    }
  }
  // Every use ends, so nothing is in use after the last step, and no interval is left open.
  return above;
}

/** Returns the largest number of units in use at the same time within an interval. */
function peakOf(usage: Usage, { start, end }: Interval): number {
  let peak = 0;
  for (const { at, units } of usage) {
    if (at >= end) break;
    // A step at or before the start of the interval replaces the earlier steps, because only the
    // last of these steps is still in effect at the start.
    peak = at <= start ? units : Math.max(peak, units);
  }
  return peak;
}
