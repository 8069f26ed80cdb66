import { explainRefusals, isBookable } from "../../../src/domain/availability/bookable.ts";
import { busyRowsOf } from "../../../src/domain/availability/booked-rows.ts";
import { formatMinute } from "../../../src/domain/availability/format.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/listing.ts";
import { type Openings, openingsOf } from "../../../src/domain/availability/openings.ts";
import { planQuestion } from "../../../src/domain/availability/plan.ts";
import type {
  BusyRow,
  Question,
  ServiceRequest,
} from "../../../src/domain/availability/question.ts";
import type { Slot } from "../../../src/domain/availability/slot.ts";
import type {
  BusinessDoc,
  Catalog,
  CatalogObjects,
  HoursRule,
  ScheduleDoc,
} from "../../../src/domain/catalog/catalog.ts";
import { aCatalog } from "../../support/catalog.ts";

export const daily = (start: string, end: string, fields: Partial<HoursRule> = {}): HoursRule => ({
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
export function aShop({ zone = "America/New_York", schedule, policy, ...objects }: Shop): Catalog {
  const catalog = aCatalog(objects, { timezone: zone });
  Object.assign(catalog.business.bookingPolicy, {
    minNoticeMin: 0,
    maxAdvanceDays: 1095,
    ...policy,
  });
  Object.assign(catalog.schedule, schedule);
  return catalog;
}

export const wish = (service: string, fields: Partial<ServiceRequest> = {}): ServiceRequest => ({
  service,
  variant: null,
  addons: [],
  staff: null,
  ...fields,
});

export type Wanted =
  | { services: ServiceRequest[]; guests?: number }
  | { partySize: number; area?: string | null };

export type Enquiry = { on: string; to?: string; now?: string; rows?: BusyRow[] } & Wanted;

export const questionOf = ({ on, to = on, ...wanted }: Enquiry): Question => ({
  from: on,
  to,
  ...("services" in wanted
    ? { services: wanted.services, guests: wanted.guests ?? 1 }
    : { partySize: wanted.partySize, area: wanted.area ?? null }),
});

const nowOf = ({ on, now }: Enquiry): number =>
  Date.parse(now ?? `${on}T00:00Z`) - (now === undefined ? 86_400_000 : 0);

export const openingsFor = (catalog: Catalog, enquiry: Enquiry): Openings =>
  openingsOf(planQuestion(catalog, questionOf(enquiry), nowOf(enquiry)), enquiry.rows ?? []);

export const days = (catalog: Catalog, enquiry: Enquiry): DayListing[] =>
  listSlots(openingsFor(catalog, enquiry));

export const slots = (catalog: Catalog, enquiry: Enquiry): Slot[] =>
  days(catalog, enquiry).flatMap((day) => day.slots);

/** The starts on the shop's clock: `09:00 09:30`. */
export const starts = (
  catalog: Catalog,
  enquiry: Enquiry,
  zone = catalog.business.timezone,
): string =>
  slots(catalog, enquiry)
    .map(({ startMin }) => formatMinute(startMin, zone).slice(11, 16))
    .join(" ");

/** Minute of a time on a date, in the shop's zone. */
export const at = (catalog: Catalog, local: string): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(catalog.business.timezone).epochMilliseconds /
  60_000;

export const why = (catalog: Catalog, enquiry: Enquiry, local: string): string => {
  const answer = isBookable(openingsFor(catalog, enquiry), at(catalog, local));
  return answer.ok
    ? "ok"
    : answer.segment === 0
      ? answer.reason
      : `${answer.reason} ${answer.segment}`;
};

export const refusals = (catalog: Catalog, enquiry: Enquiry): string[] =>
  explainRefusals(openingsFor(catalog, enquiry)).map(
    ({ startMin, reason }) =>
      `${formatMinute(startMin, catalog.business.timezone).slice(11, 16)} ${reason}`,
  );

/** Takes the slot at this time, as a booking would. */
export function book(catalog: Catalog, enquiry: Enquiry, local: string): BusyRow[] {
  const openings = openingsFor(catalog, enquiry);
  const answer = isBookable(openings, at(catalog, local));
  if (!answer.ok) throw new Error(`${local}: ${answer.reason}`);
  return busyRowsOf(openings.plan, answer.slot);
}

/** A booked segment from one local time to another. */
export const busy = (
  catalog: Catalog,
  start: string,
  end: string,
  fields: Partial<BusyRow> = {},
): BusyRow => ({
  staffKey: null,
  serviceKey: null,
  tableKey: null,
  startMin: at(catalog, start),
  endMin: at(catalog, end),
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  seats: 1,
  resources: [],
  ...fields,
});
