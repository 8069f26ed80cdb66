import { listRefusedStarts, checkStart } from "../../../src/domain/availability/check-start.ts";
import { busyIntervalsOf } from "../../../src/domain/availability/booked-intervals.ts";
import { formatMinute } from "../../../src/domain/availability/format-minute.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/listing.ts";
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
import type { Slot } from "../../../src/domain/availability/slot.ts";
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

/** A shop with neither notice nor a near horizon, unless a test says so. */
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
  rows?: BusyInterval[];
} & RequestFields;

export const resolvedRequest = ({ on, to = on, ...wanted }: TestRequest): ResolvedRequest => ({
  from: on,
  to,
  ...("services" in wanted
    ? { services: wanted.services, guests: wanted.guests ?? 1 }
    : { partySize: wanted.partySize, area: wanted.area ?? null }),
});

const nowOf = ({ on, now }: TestRequest): number =>
  Date.parse(now ?? `${on}T00:00Z`) - (now === undefined ? 86_400_000 : 0);

export const searchFor = (catalog: Catalog, enquiry: TestRequest): SlotSearch =>
  prepareSlotSearch(
    planResolvedRequest(catalog, resolvedRequest(enquiry), nowOf(enquiry)),
    enquiry.rows ?? [],
  );

export const listDays = (catalog: Catalog, enquiry: TestRequest): DayListing[] =>
  listSlots(searchFor(catalog, enquiry));

export const listTestSlots = (catalog: Catalog, enquiry: TestRequest): Slot[] =>
  listDays(catalog, enquiry).flatMap((day) => day.slots);

/** The starts on the shop's clock: `09:00 09:30`. */
export const startTimes = (
  catalog: Catalog,
  enquiry: TestRequest,
  zone = catalog.business.timezone,
): string =>
  listTestSlots(catalog, enquiry)
    .map(({ startMin }) => formatMinute(startMin, zone).slice(11, 16))
    .join(" ");

/** Minute of a time on a date, in the shop's zone. */
export const minuteAt = (catalog: Catalog, local: string): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(catalog.business.timezone).epochMilliseconds /
  60_000;

export const refusalAt = (catalog: Catalog, enquiry: TestRequest, local: string): string => {
  const answer = checkStart(searchFor(catalog, enquiry), minuteAt(catalog, local));
  return answer.ok
    ? "ok"
    : answer.segment === 0
      ? answer.reason
      : `${answer.reason} ${answer.segment}`;
};

export const refusedStarts = (catalog: Catalog, enquiry: TestRequest): string[] =>
  listRefusedStarts(searchFor(catalog, enquiry)).map(
    ({ startMin, reason }) =>
      `${formatMinute(startMin, catalog.business.timezone).slice(11, 16)} ${reason}`,
  );

/** Takes the slot at this time, as a booking would. */
export function bookSlot(catalog: Catalog, enquiry: TestRequest, local: string): BusyInterval[] {
  const openings = searchFor(catalog, enquiry);
  const answer = checkStart(openings, minuteAt(catalog, local));
  if (!answer.ok) throw new Error(`${local}: ${answer.reason}`);
  return busyIntervalsOf(openings.plan, answer.slot);
}

/** A booked segment from one local time to another. */
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
