import type { Catalog, ServiceDoc } from "../catalog/catalog.ts";
import { DAY_MIN } from "./calendar.ts";
import type { Interval } from "./intervals.ts";
import { maxVisitMin, type VisitPlan } from "./visit-plan.ts";
import { closedInterval } from "./wall-clock.ts";

/** How far outside the requested days a booking can be and still affect the result. */
export type BusyMargins = { beforeMin: number; afterMin: number };

export function busyMargins({ catalog, segments }: VisitPlan): BusyMargins {
  const services = catalog.objects.service;
  const buffers =
    2 * Math.max(0, ...services.flatMap((s) => [s.bufferBeforeMin, s.bufferAfterMin]));
  const longest = Math.max(0, ...services.map((service) => longestDuration(catalog, service)));
  const visit = maxVisitMin(segments, catalog.business.bookingPolicy.maxGapMin);
  return { beforeMin: longest + buffers, afterMin: Math.max(visit, longest) + buffers };
}

/** Bookings that overlap this window must be loaded. */
export function busyWindow(
  plan: VisitPlan,
  { beforeMin, afterMin }: BusyMargins = busyMargins(plan),
): Interval {
  const requested = closedInterval(
    plan.timezone,
    plan.firstDay * DAY_MIN,
    (plan.lastDay + 1) * DAY_MIN,
  );
  return { start: requested.start - beforeMin, end: requested.end + afterMin };
}

function longestDuration({ objects }: Catalog, service: ServiceDoc): number {
  const overrides = objects.staff.flatMap(({ serviceOverrides }) =>
    serviceOverrides
      .filter((override) => override.service === service.key)
      .map(({ durationMin }) => durationMin ?? 0),
  );
  const own = Math.max(
    service.durationMin,
    ...service.variants.map(({ durationMin }) => durationMin),
    ...overrides,
  );
  return service.addons.reduce((sum, link) => {
    const addon = objects.addon.find(({ key }) => key === link.addon);
    return sum + link.maxQuantity * (link.durationMin ?? addon?.durationMin ?? 0);
  }, own);
}
