import { checkStart } from "../../domain/availability/check-start.ts";
import { prepareSlotSearch } from "../../domain/availability/slot-search.ts";
import type { VisitPlan } from "../../domain/availability/visit-plan.ts";
import { planNamedRequest } from "../../domain/availability/plan-named-request.ts";
import type { NamedAppointmentRequest, NamedRequest } from "../../domain/availability/request.ts";
import { REFUSAL_TEXT, refusalSentence } from "../../domain/availability/refusal-text.ts";
import type { Slot } from "../../domain/availability/slot.ts";
import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { BookingRequest } from "../../domain/bookings/booking-request.ts";
import type { Catalog, Kind } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { localDateOf } from "../../domain/local-time.ts";
import { quote } from "../../domain/catalog/validation-issue.ts";
import { AppError } from "../../domain/errors.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { ReservationRequest } from "../../domain/bookings/reservation-request.ts";
import { variantId } from "../../domain/public/service.ts";
import { parseStartTime } from "../../domain/bookings/start-time.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { loadBusyIntervals } from "./busy-intervals.ts";
import { getObject } from "../catalog/objects.ts";
import { loadBookableCatalog } from "./bookable-catalog.ts";

const MINUTE_MS = 60_000;

/** What a visit takes, from when to when. */
export type PlannedBooking = Pick<BookedSegment, "startsAt" | "endsAt"> & {
  segments: BookedSegment[];
};

/**
 * Whether a visit can be booked as it is asked for, and by whom: by the rule that lists it. Belongs inside the transaction
 * that writes it.
 * @throws AppError with the first rule that fails
 */
export function planBooking(
  rt: Runtime,
  business: BusinessRow,
  { appointment: wish, start }: BookingRequest,
): PlannedBooking {
  const startsAt = parseStartTime(start, business.doc.timezone);
  const plan = planDay(rt, loadBookableCatalog(rt, business), startsAt, wish);
  const slot = takeSlot(
    rt,
    business,
    plan,
    startsAt,
    `${askedFor(wish)} not free at ${start}${withWhom(wish)}`,
  );
  return { startsAt, endsAt: slot.endMin * MINUTE_MS, segments: bookedSegments(plan, slot) };
}

function askedFor({ serviceIds, variantIds }: NamedAppointmentRequest): string {
  const names = serviceIds.length > 0 ? serviceIds : variantIds;
  return `${names.map(quote).join(" and ")} ${names.length === 1 ? "is" : "are"}`;
}

const withWhom = ({ staffIds }: NamedAppointmentRequest): string =>
  staffIds.length === 0 ? "" : ` with ${staffIds.map(quote).join(" and ")}`;

function bookedSegments({ catalog, segments }: VisitPlan, slot: Slot): BookedSegment[] {
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

/**
 * The smallest table that is free for the party, by the rule that lists it. Belongs inside the transaction that writes it.
 * @throws AppError with the first rule that fails
 */
export function planReservation(
  rt: Runtime,
  business: BusinessRow,
  request: ReservationRequest,
): Pick<Reservation, "startsAt" | "endsAt" | "areaId" | "tableId"> {
  const { slug } = business;
  const catalog = loadBookableCatalog(rt, business);
  const startsAt = parseStartTime(request.start, business.doc.timezone);
  const plan = planDay(rt, catalog, startsAt, { partySize: request.party, areaId: request.area });
  const asked =
    request.table === null ? plan : withTable(plan, getObject(catalog, "table", request.table).key);
  const refused = `No table for ${request.party} is free at ${request.start}`;
  const { endMin, segments } = takeSlot(rt, business, asked, startsAt, refused);
  const table = getObject(catalog, "table", segments[0]?.tableKey ?? "");
  return {
    startsAt,
    endsAt: endMin * MINUTE_MS,
    areaId: table.area && objectId("area", slug, getObject(catalog, "area", table.area)),
    tableId: objectId("table", slug, table),
  };
}

/** @throws AppError party_too_large where the party does not sit at it */
function withTable(plan: VisitPlan, key: string): VisitPlan {
  const segments = plan.segments.map((segment) => ({
    ...segment,
    options: segment.candidates.filter(({ table }) => table?.key === key),
  }));
  if (segments.every(({ options }) => options.length > 0)) return { ...plan, segments };
  throw new AppError("party_too_large", `The table ${quote(key)} is not one for this party.`);
}

function planDay(rt: Runtime, catalog: Catalog, startsAt: number, wish: NamedRequest): VisitPlan {
  const date = localDateOf(startsAt, catalog.business.timezone);
  return planNamedRequest(catalog, "HOUSE", wish, { from: date, to: date }, rt.now());
}

/** @param refused the beginning of the sentence that says so */
function takeSlot(
  rt: Runtime,
  business: BusinessRow,
  plan: VisitPlan,
  startsAt: number,
  refused: string,
): Slot {
  const answer = checkStart(
    prepareSlotSearch(plan, loadBusyIntervals(rt, business.id, plan)),
    startsAt / MINUTE_MS,
  );
  if (answer.ok) return answer.slot;
  const why = refusalSentence(REFUSAL_TEXT[answer.reason], answer.segment);
  throw new AppError("conflict", `${refused}: ${why}.`, { fix: "choose another time" });
}
