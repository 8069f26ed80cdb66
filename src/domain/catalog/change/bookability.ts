import type { Catalog, DocOf, Kind } from "../catalog.ts";
import { deepEqual, shallowEqual } from "../../equality.ts";

export const bookabilityDiffers = (before: Catalog, after: Catalog): boolean =>
  !deepEqual(businessInputs(before), businessInputs(after)) ||
  BOOKABLE_KINDS.some((kind) => kindDiffers(kind, before, after));

const businessInputs = ({ business, schedule }: Catalog): unknown => ({
  timezone: business.timezone,
  policy: business.bookingPolicy,
  schedule,
});

/** Other kinds do not affect availability. */
const INPUTS: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  resource: ({ capacity, status }) => ({ capacity, status }),
  area: ({ status }) => status,
  table: ({ area, minSeats, maxSeats, status }) => ({ area, minSeats, maxSeats, status }),
  addon: ({ durationMin, status }) => ({ durationMin, status }),
  staff: (person) => ({
    status: person.status,
    bookable: person.bookable,
    hours: person.hours,
    breaks: person.breaks,
    timeOff: person.timeOff,
    exceptions: person.exceptions,
    durations: person.serviceOverrides.map(({ service, durationMin }) => ({
      service,
      durationMin,
    })),
  }),
  service: (service) => ({
    status: service.status,
    bookable: service.bookable,
    durationMin: service.durationMin,
    capacity: service.capacity,
    buffers: [service.bufferBeforeMin, service.bufferAfterMin],
    resources: service.resources,
    rules: service.bookingRules,
    staff: service.staff,
    variants: byKey(service.variants, ({ durationMin, staff, status }) => ({
      durationMin,
      staff,
      status,
    })),
    addons: service.addons.map(({ addon, durationMin, required }) => ({
      addon,
      durationMin,
      required,
    })),
  }),
};

const BOOKABLE_KINDS = Object.keys(INPUTS) as Kind[];

function kindDiffers(
  kind: Kind,
  { objects: before }: Catalog,
  { objects: after }: Catalog,
): boolean {
  // normaliseCatalog reuses the stored documents that a file does not change.
  if (shallowEqual(before[kind], after[kind])) return false;
  const inputs = INPUTS[kind] as (doc: DocOf[Kind]) => unknown;
  return !deepEqual(
    byKey<DocOf[Kind]>(before[kind], inputs),
    byKey<DocOf[Kind]>(after[kind], inputs),
  );
}

/** Availability does not depend on the order of objects. */
const byKey = <T extends { key: string }>(
  docs: readonly T[],
  pick: (doc: T) => unknown,
): Record<string, unknown> => Object.fromEntries(docs.map((doc) => [doc.key, pick(doc)]));
