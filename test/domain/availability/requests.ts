import {
  listRefusedStarts,
  checkStart,
  type DayListing,
  listSlots,
  type Slot,
} from "../../../src/domain/availability/slot.ts";
import { busyIntervalsOf } from "./booked-intervals.ts";
import { formatMinute } from "../../../src/domain/availability/wall-clock.ts";
import {
  type SlotSearch,
  prepareSlotSearch,
} from "../../../src/domain/availability/slot-search.ts";
import { planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import type {
  BusyInterval,
  ResolvedRequest,
  ServiceRequest,
} from "../../../src/domain/availability/request.ts";
import type {
  BusinessDoc,
  Catalog,
  CatalogObjects,
  HoursRule,
  ScheduleDoc,
} from "../../../src/domain/catalog/catalog.ts";
import { buildCatalog } from "../../support/catalog-builders.ts";

export const dailyHours = (
  start: string,
  end: string,
  fields: Partial<HoursRule> = {},
): HoursRule => ({
  days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  start,
  end,
  validFrom: null,
  validTo: null,
  ...fields,
});

type Shop = Partial<CatalogObjects> & {
  zone?: string;
  schedule?: Partial<ScheduleDoc>;
  policy?: Partial<BusinessDoc["bookingPolicy"]>;
};

/** Returns a business without minimum notice and with a distant horizon, unless overridden. */
export function createShop({
  zone = "America/New_York",
  schedule,
  policy,
  ...objects
}: Shop): Catalog {
  const catalog = buildCatalog(objects, { timezone: zone });
  Object.assign(catalog.business.bookingPolicy, {
    minNoticeMin: 0,
    maxAdvanceDays: 1095,
    ...policy,
  });
  Object.assign(catalog.schedule, schedule);
  return catalog;
}

export const serviceRequest = (
  service: string,
  fields: Partial<ServiceRequest> = {},
): ServiceRequest => ({
  service,
  variant: null,
  addons: [],
  staff: null,
  ...fields,
});

export type RequestFields =
  | { services: ServiceRequest[]; guests?: number }
  | { partySize: number; area?: string | null };

export type TestRequest = {
  on: string;
  to?: string;
  now?: string;
  busyIntervals?: BusyInterval[];
} & RequestFields;

export const resolvedRequest = ({ on, to = on, ...fields }: TestRequest): ResolvedRequest => ({
  from: on,
  to,
  ...("services" in fields
    ? { services: fields.services, guests: fields.guests ?? 1 }
    : { partySize: fields.partySize, area: fields.area ?? null }),
});

const nowOf = ({ on, now }: TestRequest): number =>
  Date.parse(now ?? `${on}T00:00Z`) - (now === undefined ? 86_400_000 : 0);

export const searchFor = (catalog: Catalog, request: TestRequest): SlotSearch =>
  prepareSlotSearch(
    planResolvedRequest(catalog, resolvedRequest(request), nowOf(request)),
    request.busyIntervals ?? [],
  );

export const listDays = (catalog: Catalog, request: TestRequest): DayListing[] =>
  listSlots(searchFor(catalog, request));

export const listTestSlots = (catalog: Catalog, request: TestRequest): Slot[] =>
  listDays(catalog, request).flatMap((day) => day.slots);

/** Returns the start times in the business's zone: `09:00 09:30`. */
export const startTimes = (
  catalog: Catalog,
  request: TestRequest,
  zone = catalog.business.timezone,
): string =>
  listTestSlots(catalog, request)
    .map(({ startMin }) => formatMinute(startMin, zone).slice(11, 16))
    .join(" ");

/** Returns the epoch minute of a local time in the business's zone. */
export const minuteAt = (catalog: Catalog, local: string): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(catalog.business.timezone).epochMilliseconds /
  60_000;

export const refusalAt = (catalog: Catalog, request: TestRequest, local: string): string => {
  const check = checkStart(searchFor(catalog, request), minuteAt(catalog, local));
  return check.ok ? "ok" : check.segment === 0 ? check.reason : `${check.reason} ${check.segment}`;
};

export const refusedStarts = (catalog: Catalog, request: TestRequest): string[] =>
  listRefusedStarts(searchFor(catalog, request)).map(
    ({ startMin, reason }) =>
      `${formatMinute(startMin, catalog.business.timezone).slice(11, 16)} ${reason}`,
  );

/** Returns the busy intervals of a booking that takes the slot at this time. */
export function bookSlot(catalog: Catalog, request: TestRequest, local: string): BusyInterval[] {
  const search = searchFor(catalog, request);
  const check = checkStart(search, minuteAt(catalog, local));
  if (!check.ok) throw new Error(`${local}: ${check.reason}`);
  return busyIntervalsOf(search.plan, check.slot);
}

/** Returns a booked segment from one local time to another. */
export const busyInterval = (
  catalog: Catalog,
  start: string,
  end: string,
  fields: Partial<BusyInterval> = {},
): BusyInterval => ({
  staffKey: null,
  serviceKey: null,
  tableKey: null,
  startMin: minuteAt(catalog, start),
  endMin: minuteAt(catalog, end),
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  seats: 1,
  resources: [],
  ...fields,
});
