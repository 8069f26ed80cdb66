import type { Catalog } from "./catalog.ts";
import { same } from "./same.ts";

/** Whether something differs that decides when, by whom or where a service can be booked. */
export const bookabilityDiffers = (before: Catalog, after: Catalog): boolean =>
  !same(bookability(before), bookability(after));

/** By key: the order of a list decides nothing here. */
const byKey = <T extends { key: string }>(docs: T[], pick: (doc: T) => unknown): Record<string, unknown> =>
  Object.fromEntries(docs.map((doc) => [doc.key, pick(doc)]));

const bookability = ({ business, schedule, objects }: Catalog): unknown => ({
  timezone: business.timezone,
  policy: business.bookingPolicy,
  schedule,
  resources: byKey(objects.resource, ({ capacity, status }) => ({ capacity, status })),
  areas: byKey(objects.area, ({ status }) => status),
  tables: byKey(objects.table, ({ area, minSeats, maxSeats, status }) => ({ area, minSeats, maxSeats, status })),
  addons: byKey(objects.addon, ({ durationMin, status }) => ({ durationMin, status })),
  staff: byKey(objects.staff, (person) => ({
    status: person.status,
    bookable: person.bookable,
    hours: person.hours,
    breaks: person.breaks,
    timeOff: person.timeOff,
    exceptions: person.exceptions,
    durations: person.serviceOverrides.map(({ service, durationMin }) => ({ service, durationMin })),
  })),
  services: byKey(objects.service, (service) => ({
    status: service.status,
    bookable: service.bookable,
    durationMin: service.durationMin,
    capacity: service.capacity,
    buffers: [service.bufferBeforeMin, service.bufferAfterMin],
    resources: service.resources,
    rules: service.bookingRules,
    staff: service.staff,
    variants: byKey(service.variants, ({ durationMin, staff, status }) => ({ durationMin, staff, status })),
    addons: service.addons.map(({ addon, durationMin, required }) => ({ addon, durationMin, required })),
  })),
});
