import { checkStart, type Slot } from "../../domain/availability/slot.ts";
import { prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import { ignoringNotice, type VisitPlan } from "../../domain/availability/visit-plan.ts";
import type { Audience } from "../../domain/availability/catalog-lookup.ts";
import { planNamedRequest } from "../../domain/availability/resolve-request.ts";
import type {
  NamedAppointmentRequest,
  NamedRequest,
  NamedTableRequest,
  NamedSegmentsRequest,
} from "../../domain/availability/request.ts";
import { type Reason, REFUSAL_TEXT, refusalSentence } from "../../domain/availability/refusal.ts";
import type { BookedSegment, Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import { type Visit, approvalTerms } from "../../domain/bookings/visit.ts";
import type { BusinessDoc, Catalog, Kind } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { localDateOf } from "../../domain/local-time.ts";
import { totalOfPrices } from "../../domain/money.ts";
import { quote, shellQuote } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import { variantId } from "../../domain/public/service.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { loadBusyIntervals } from "./busy-intervals.ts";
import { getObject } from "../catalog/objects.ts";
import { readBookableCatalog } from "../catalog/bookable-catalog.ts";

const MINUTE_MS = 60_000;

/** The time and terms of a new visit, planned now or copied from a hold. */
export type VisitTerms = Pick<Visit, "startsAt" | "endsAt" | "cancelUntil"> & {
  requiresApproval: boolean;
};
export type BookingTerms = VisitTerms & {
  segments: BookedSegment[];
  guests: number;
} & Pick<Booking, "totalCents" | "currency" | "currencyDigits">;
export type TableTerms = VisitTerms & Pick<Reservation, "partySize" | "areaId" | "tableId">;

/** The beginning of the error message for clients other than the operator. */
export const CANNOT_BE_BOOKED = "This start cannot be booked";

/** What a client wants to book, and when. */
export type VisitRequest<Request extends NamedRequest> = {
  request: Request;
  /** Epoch milliseconds. */
  startsAt: number;
  /** The beginning of the error message for a refusal; `CANNOT_BE_BOOKED` by default. */
  refusal?: string;
  /** Skips the minimum notice, the horizon and the grid. */
  ignoresNotice?: boolean | undefined;
};

/** A visit to plan: a new one, or one that is rescheduled. */
type PlannedVisit<Request extends NamedRequest> = VisitRequest<Request> & {
  audience: Audience;
  /** The IDs of the visits that are rescheduled, whose own times count as free. */
  except?: readonly string[];
  /** The IDs of staff members and tables that are chosen only if no others can take the visit. */
  avoided?: ReadonlySet<string> | undefined;
};

/**
 * Returns the terms of a booking. The rules are the same as in the list of free slots. Call it in
 * the transaction that writes the booking.
 * @throws AppError with the first rule that fails
 */
export function planBooking(
  rt: Runtime,
  business: BusinessRow,
  visit: PlannedVisit<NamedAppointmentRequest | NamedSegmentsRequest>,
): BookingTerms {
  const catalog = readBookableCatalog(rt, business);
  const plan = planDay(rt, catalog, visit);
  const { endMin, segments } = getSlot(rt, business, plan, visit);
  const booked = toBookedSegments(plan, segments);
  const { currency, currencyDigits } = business.doc;
  const { guests } = visit.request;
  return {
    ...visitTerms(plan, visit.startsAt, endMin),
    segments: booked,
    guests,
    totalCents: totalOf(booked, guests),
    currency,
    currencyDigits,
  };
}

export const totalOf = (segments: readonly BookedSegment[], guests: number): number =>
  totalOfPrices(segments.map(({ priceCents }) => ({ priceCents, quantity: guests })));

function visitTerms(plan: VisitPlan, startsAt: number, endMin: number): VisitTerms {
  const { requiresApproval, cancelUntilMin } = approvalTerms(plan);
  return {
    startsAt,
    endsAt: endMin * MINUTE_MS,
    cancelUntil: startsAt - cancelUntilMin * MINUTE_MS,
    requiresApproval,
  };
}

/** Returns a text such as `'cut' is not available at 2026-12-01T10:00 with 'mia'`. */
export function describeAppointment(
  { serviceIds, variantIds, staffIds }: NamedAppointmentRequest,
  start: string,
): string {
  const names = serviceIds.length > 0 ? serviceIds : variantIds;
  const services = `${names.map(quote).join(" and ")} ${names.length === 1 ? "is" : "are"}`;
  const staff = staffIds.length === 0 ? "" : ` with ${staffIds.map(quote).join(" and ")}`;
  return `${services} not available at ${start}${staff}`;
}

function toBookedSegments(
  { catalog, segments }: VisitPlan,
  slotSegments: Slot["segments"],
): BookedSegment[] {
  const { slug } = catalog.business;
  const idOf = (kind: Kind, key: string): string =>
    objectId(kind, slug, getObject(catalog, kind, key));
  return slotSegments.flatMap(({ staffKey, startMin, endMin, priceCents }, i) => {
    const segment = segments[i];
    // A segment without a service is a table, which is no part of a booking.
    if (!segment?.service) return [];
    const { service, variant } = segment;
    const person = staffKey === null ? null : getObject(catalog, "staff", staffKey);
    return {
      serviceId: objectId("service", slug, service),
      serviceName: service.name,
      variantId: variant && variantId(slug, service, variant),
      variantName: variant && variant.name,
      addons: segment.addons.map(({ addon, quantity }) => ({
        addonId: idOf("addon", addon),
        quantity,
      })),
      staffId: person && objectId("staff", slug, person),
      staffName: person && person.name,
      resources: segment.resources.map(({ resource, units }) => ({
        resourceId: idOf("resource", resource),
        units,
      })),
      seats: segment.seats,
      bufferBeforeMin: segment.bufferBeforeMin,
      bufferAfterMin: segment.bufferAfterMin,
      startsAt: startMin * MINUTE_MS,
      endsAt: endMin * MINUTE_MS,
      priceCents,
    };
  });
}

/**
 * Returns the terms of a reservation of the smallest free table. The rules are the same as in the
 * list of free slots. Call it in the transaction that writes the reservation.
 * @param visit.table the key or ID of the only table to try; null or absent for any table
 */
export function planReservation(
  rt: Runtime,
  business: BusinessRow,
  visit: PlannedVisit<NamedTableRequest> & { table?: string | null },
): TableTerms {
  const { slug } = business;
  const { partySize } = visit.request;
  const catalog = readBookableCatalog(rt, business);
  const plan = planDay(rt, catalog, visit);
  const tablePlan = visit.table
    ? withOnlyTable(plan, getObject(catalog, "table", visit.table).key, partySize)
    : plan;
  const { endMin, segments } = getSlot(rt, business, tablePlan, visit);
  // The slot of a reservation has one segment, which names its table.
  const table = getObject(catalog, "table", segments[0]?.tableKey ?? "");
  return {
    ...visitTerms(plan, visit.startsAt, endMin),
    partySize,
    areaId: table.area && objectId("area", slug, getObject(catalog, "area", table.area)),
    tableId: objectId("table", slug, table),
  };
}

function withOnlyTable(plan: VisitPlan, key: string, partySize: number): VisitPlan {
  const segments = plan.segments.map((segment) => ({
    ...segment,
    candidates: segment.candidates.filter(({ table }) => table?.key === key),
  }));
  if (segments.every(({ candidates }) => candidates.length > 0)) return { ...plan, segments };
  throw new AppError(
    "party_too_large",
    `Table ${quote(key)} does not seat a party of ${partySize}.`,
  );
}

function planDay(
  rt: Runtime,
  catalog: Catalog,
  { audience, request, startsAt, ignoresNotice }: PlannedVisit<NamedRequest>,
): VisitPlan {
  const date = localDateOf(startsAt, catalog.business.timezone);
  const plan = planNamedRequest(catalog, audience, request, { from: date, to: date }, rt.now());
  if (!ignoresNotice) return plan;
  // `ignoringNotice` refuses a start before `earliest`. A start before today lies before the
  // present time, so it is still refused.
  const earliest = isBeforeToday(rt, catalog.business, startsAt)
    ? rt.now()
    : Math.min(startsAt, rt.now());
  return ignoringNotice(plan, startsAt / MINUTE_MS, earliest);
}

/**
 * Returns whether a start is before today. A start earlier today is allowed, because the guests may
 * already sit.
 */
const isBeforeToday = (rt: Runtime, { timezone }: BusinessDoc, startsAt: number): boolean =>
  localDateOf(startsAt, timezone) < localDateOf(rt.now(), timezone);

/** The rules that `ignoresNotice` skips. */
const NOTICE_REASONS: readonly Reason[] = ["TOO_SOON", "TOO_FAR", "OFF_GRID"];

/**
 * Returns the slot at the start of a visit.
 * @throws AppError slot_taken with the first rule that fails
 */
function getSlot(
  rt: Runtime,
  business: BusinessRow,
  plan: VisitPlan,
  {
    request,
    startsAt,
    refusal = CANNOT_BE_BOOKED,
    except,
    ignoresNotice,
    avoided = new Set(),
  }: PlannedVisit<NamedRequest>,
): Slot {
  const busy = loadBusyIntervals(rt, business.id, plan, except);
  const checkPlan = (checked: VisitPlan) =>
    checkStart(prepareSlotSearch(checked, busy), startsAt / MINUTE_MS);
  const preferred = avoided.size === 0 ? undefined : checkPlan(withoutAvoided(plan, avoided));
  const check = preferred?.ok ? preferred : checkPlan(plan);
  if (check.ok) return check.slot;
  const isPast = isBeforeToday(rt, business.doc, startsAt);
  const reason =
    isPast && ignoresNotice
      ? "it is before today"
      : refusalSentence(REFUSAL_TEXT[check.reason], check.segment);
  const search = searchCommand(plan, request, localDateOf(startsAt, business.doc.timezone));
  const canIgnore = !isPast && NOTICE_REASONS.includes(check.reason);
  throw new AppError("slot_taken", `${refusal}: ${reason}.`, {
    fix: canIgnore ? `${search}, or add --ignore-notice` : search,
    extensions: { reason: check.reason },
  });
}

/** Returns a plan without the staff members and tables whose IDs are in `avoided`. */
function withoutAvoided(plan: VisitPlan, avoided: ReadonlySet<string>): VisitPlan {
  const { slug } = plan.catalog.business;
  const segments = plan.segments.map((segment) => ({
    ...segment,
    candidates: segment.candidates.filter(
      ({ staff, table }) =>
        !(staff && avoided.has(objectId("staff", slug, staff))) &&
        !(table && avoided.has(objectId("table", slug, table))),
    ),
  }));
  return { ...plan, segments };
}

/**
 * Returns the command by which the operator finds free times; a response of the API lists free
 * starts instead.
 */
function searchCommand({ segments }: VisitPlan, request: NamedRequest, date: string): string {
  const services = segments.flatMap(({ service }) => (service ? shellQuote(service.key) : []));
  const wanted =
    "partySize" in request
      ? [`--party ${request.partySize}`]
      : [
          ...services.map((key) => `--service ${key}`),
          ...(request.guests > 1 ? [`--guests ${request.guests}`] : []),
        ];
  return `deskbell availability ${wanted.join(" ")} --date ${date}`;
}
