import type { Catalog, ServiceDoc } from "../catalog.ts";
import { DAY_MIN } from "./calendar.ts";
import type { Interval } from "./intervals.ts";
import { longestVisit, type Plan } from "./plan.ts";
import { closedInterval } from "./zone-rules.ts";

/** When a booked segment must begin or end to have a say in the answer: load what overlaps this. */
export function busyWindow({ catalog, timezone, firstDay, lastDay, segments }: Plan): Interval {
  const asked = closedInterval(timezone, firstDay * DAY_MIN, (lastDay + 1) * DAY_MIN);
  const services = catalog.objects.service;
  const buffers = 2 * Math.max(0, ...services.flatMap((s) => [s.bufferBeforeMin, s.bufferAfterMin]));
  const longest = Math.max(0, ...services.map((service) => longestDuration(catalog, service)));
  const visit = longestVisit(segments, catalog.business.bookingPolicy.maxGapMin);
  return { start: asked.start - longest - buffers, end: asked.end + Math.max(visit, longest) + buffers };
}

function longestDuration({ objects }: Catalog, service: ServiceDoc): number {
  const overrides = objects.staff.flatMap(({ serviceOverrides }) =>
    serviceOverrides.filter((override) => override.service === service.key).map(({ durationMin }) => durationMin ?? 0),
  );
  const own = Math.max(service.durationMin, ...service.variants.map(({ durationMin }) => durationMin), ...overrides);
  return service.addons.reduce((sum, link) => {
    const addon = objects.addon.find(({ key }) => key === link.addon);
    return sum + link.maxQuantity * (link.durationMin ?? addon?.durationMin ?? 0);
  }, own);
}
