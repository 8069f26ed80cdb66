import { checkStart, type Slot } from "../../domain/availability/slot.ts";
import { prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import { planNamedRequest } from "../../domain/availability/resolve-request.ts";
import type { NamedAppointmentRequest, NamedRequest } from "../../domain/availability/request.ts";
import { REFUSAL_TEXT, refusalSentence } from "../../domain/availability/refusal.ts";
import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { BookingRequest, ReservationRequest } from "../../domain/bookings/requests.ts";
import type { Catalog, Kind } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { localDateOf } from "../../domain/local-time.ts";
import { quote } from "../../domain/text.ts";
import { AppError } from "../../domain/errors.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import { variantId } from "../../domain/public/service.ts";
import { parseStartTime } from "../../domain/bookings/start-time.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { loadBusyIntervals } from "./busy-intervals.ts";
import { getObject } from "../catalog/objects.ts";
import { loadBookableCatalog } from "../catalog/load-catalog.ts";

const MINUTE_MS = 60_000;

export type PlannedBooking = Pick<BookedSegment, "startsAt" | "endsAt"> & {
  segments: BookedSegment[];
};

/**
 * Applies the rules that list its slot. Call it in the transaction that writes the booking.
 * @throws AppError with the first rule that fails
 */
export function planBooking(
  rt: Runtime,
  business: BusinessRow,
  { appointment, start }: BookingRequest,
): PlannedBooking {
  const startsAt = parseStartTime(start, business.doc.timezone);
  const plan = planDay(rt, loadBookableCatalog(rt, business), startsAt, appointment);
  const slot = takeSlot(
    rt,
    business,
    plan,
    startsAt,
    `${describeServices(appointment)} not available at ${start}${describeStaff(appointment)}`,
  );
  return { startsAt, endsAt: slot.endMin * MINUTE_MS, segments: toBookedSegments(plan, slot) };
}

function describeServices({ serviceIds, variantIds }: NamedAppointmentRequest): string {
  const names = serviceIds.length > 0 ? serviceIds : variantIds;
  return `${names.map(quote).join(" and ")} ${names.length === 1 ? "is" : "are"}`;
}

const describeStaff = ({ staffIds }: NamedAppointmentRequest): string =>
  staffIds.length === 0 ? "" : ` with ${staffIds.map(quote).join(" and ")}`;

function toBookedSegments({ catalog, segments }: VisitPlan, slot: Slot): BookedSegment[] {
  const { slug } = catalog.business;
  const idOf = (kind: Kind, key: string): string =>
    objectId(kind, slug, getObject(catalog, kind, key));
  return slot.segments.flatMap(({ staffKey, startMin, endMin, priceCents }, i) => {
    const segment = segments[i];
    if (!segment?.service) return [];
    const { service, variant } = segment;
    return {
      serviceId: objectId("service", slug, service),
      variantId: variant && variantId(slug, service, variant),
      addons: segment.addons.map(({ addon, quantity }) => ({
        addonId: idOf("addon", addon),
        quantity,
      })),
      staffId: staffKey && idOf("staff", staffKey),
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

/** Finds the smallest free table. Otherwise like `planBooking`. */
export function planReservation(
  rt: Runtime,
  business: BusinessRow,
  request: ReservationRequest,
): Pick<Reservation, "startsAt" | "endsAt" | "areaId" | "tableId"> {
  const { slug } = business;
  const catalog = loadBookableCatalog(rt, business);
  const startsAt = parseStartTime(request.start, business.doc.timezone);
  const plan = planDay(rt, catalog, startsAt, { partySize: request.party, areaId: request.area });
  const tablePlan =
    request.table === null
      ? plan
      : withTable(plan, getObject(catalog, "table", request.table).key, request.party);
  const message = `No table for ${request.party} is free at ${request.start}`;
  const { endMin, segments } = takeSlot(rt, business, tablePlan, startsAt, message);
  const table = getObject(catalog, "table", segments[0]?.tableKey ?? "");
  return {
    startsAt,
    endsAt: endMin * MINUTE_MS,
    areaId: table.area && objectId("area", slug, getObject(catalog, "area", table.area)),
    tableId: objectId("table", slug, table),
  };
}

function withTable(plan: VisitPlan, key: string, partySize: number): VisitPlan {
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
  startsAt: number,
  request: NamedRequest,
): VisitPlan {
  const date = localDateOf(startsAt, catalog.business.timezone);
  return planNamedRequest(catalog, "INTERNAL", request, { from: date, to: date }, rt.now());
}

function takeSlot(
  rt: Runtime,
  business: BusinessRow,
  plan: VisitPlan,
  startsAt: number,
  message: string,
): Slot {
  const check = checkStart(
    prepareSlotSearch(plan, loadBusyIntervals(rt, business.id, plan)),
    startsAt / MINUTE_MS,
  );
  if (check.ok) return check.slot;
  const reason = refusalSentence(REFUSAL_TEXT[check.reason], check.segment);
  throw new AppError("conflict", `${message}: ${reason}.`, { fix: "choose another time" });
}
