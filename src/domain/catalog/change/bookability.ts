import type { BusinessDoc, Catalog, DocOf, Kind, ServiceDoc } from "../catalog.ts";
import { deepEqual, shallowEqual } from "../../equality.ts";

export const bookabilityDiffers = (before: Catalog, after: Catalog): boolean =>
  !deepEqual(businessInputs(before), businessInputs(after)) ||
  BOOKABLE_KINDS.some((kind) => kindDiffers(kind, before, after));

const businessInputs = ({ business: { timezone, bookingPolicy }, schedule }: Catalog): unknown => [
  timezone,
  slotRules(bookingPolicy),
  schedule,
];

/** The rules that decide which slots are offered. */
function slotRules(rules: BusinessDoc["bookingPolicy"] | ServiceDoc["bookingRules"]): object {
  const { requiresApproval, cancelUntilMin, ...others } = rules;
  return others;
}

/** Other kinds do not affect availability. */
const INPUTS: { [K in Kind]?: (doc: DocOf[K]) => unknown } = {
  resource: ({ capacity, status }) => [capacity, status],
  area: ({ status }) => status,
  table: ({ area, minSeats, maxSeats, status }) => [area, minSeats, maxSeats, status],
  addon: ({ durationMin, status }) => [durationMin, status],
  staff: ({ status, bookable, hours, breaks, timeOff, exceptions, serviceOverrides }) => [
    [status, bookable, hours, breaks, timeOff, exceptions],
    serviceOverrides.map(({ service, durationMin }) => [service, durationMin]),
  ],
  service: (service) => [
    [service.status, service.bookable, service.durationMin, service.capacity],
    [service.bufferBeforeMin, service.bufferAfterMin],
    [service.resources, slotRules(service.bookingRules), service.staff],
    byKey(service.variants, ({ durationMin, staff, status }) => [durationMin, staff, status]),
    service.addons.map(({ addon, durationMin, required }) => [addon, durationMin, required]),
  ],
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
