import type { Catalog, DocOf, Kind } from "../catalog.ts";
import { deepEqual, shallowEqual } from "../../equality.ts";

/** Whether something differs that decides when, by whom or where a service can be booked. */
export const bookabilityDiffers = (before: Catalog, after: Catalog): boolean =>
  !deepEqual(ofBusiness(before), ofBusiness(after)) ||
  KINDS_BOOKED.some((kind) => kindDiffers(kind, before, after));

const ofBusiness = ({ business, schedule }: Catalog): unknown => ({
  timezone: business.timezone,
  policy: business.bookingPolicy,
  schedule,
});

/** What of a document decides; the kinds that are not here decide nothing. */
const DECIDES: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
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

const KINDS_BOOKED = Object.keys(DECIDES) as Kind[];

function kindDiffers(
  kind: Kind,
  { objects: before }: Catalog,
  { objects: after }: Catalog,
): boolean {
  // A catalog that was read over another keeps its documents where nothing differs.
  if (shallowEqual(before[kind], after[kind])) return false;
  const decides = DECIDES[kind] as (doc: DocOf[Kind]) => unknown;
  return !deepEqual(
    byKey<DocOf[Kind]>(before[kind], decides),
    byKey<DocOf[Kind]>(after[kind], decides),
  );
}

/** By key: the order of a list decides nothing here. */
const byKey = <T extends { key: string }>(
  docs: readonly T[],
  pick: (doc: T) => unknown,
): Record<string, unknown> => Object.fromEntries(docs.map((doc) => [doc.key, pick(doc)]));
