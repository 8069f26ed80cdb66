import { type Busy, keptFrom, unitsOf } from "./busy.ts";
import type { Interval } from "./intervals.ts";
import type { Plan } from "./plan.ts";
import type { Segment } from "./segment.ts";
import { timeAbove, type Usage, usageOf } from "./usage.ts";

const ALWAYS: Interval = { start: -Infinity, end: Infinity };

/** When too little is left of each resource that a segment needs. */
export function resourceShortages(plan: Plan, busy: Busy, segment: Segment): Interval[] {
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  const needed = new Set(segment.resources.map(({ resource }) => resource));
  return [...needed].flatMap((key) => {
    const resource = plan.catalog.objects.resource.find((doc) => doc.key === key && doc.status === "ACTIVE");
    const spare = (resource?.capacity ?? 0) - unitsOf(segment, key);
    if (spare < 0) return [ALWAYS];
    const uses = busy
      .ofResource(key)
      .map((row) => ({ kept: keptFrom(row, segment, bufferPolicy), units: unitsOf(row, key) }));
    return timeAbove(usageOf(uses), spare);
  });
}

/**
 * Neither a person nor a resource sets the limit (a sauna): the service's own places do, so that whoever comes and goes when,
 * no more are there at once than it has places.
 */
export const isPool = ({ service, options, resources }: Segment): boolean =>
  service !== null && resources.length === 0 && options.every(({ staff }) => staff === null);

/** How many of a pool's places are taken; undefined for what is none. */
export function placesTaken(plan: Plan, busy: Busy, segment: Segment): Usage | undefined {
  if (segment.service === null || !isPool(segment)) return undefined;
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  const rows = busy.ofService(segment.service.key);
  return usageOf(rows.map((row) => ({ kept: keptFrom(row, segment, bufferPolicy), units: row.seats })));
}
