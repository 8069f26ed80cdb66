import { formatInstant } from "../local-time.ts";
import { businessEvent, eventDraft, type EventDraft, reorderedEvent } from "../events/envelope.ts";
import { actionOf, type EventPrefix, type EventType, prefixOf } from "../events/event-types.ts";
import { type CatalogState, catalogChangedEvent } from "../public/catalog-changed.ts";
import type { PublicCatalog } from "../public/public-catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import {
  bookingCancelledEvent,
  bookingCreatedEvent,
  bookingUpdatedEvent,
  type PublicBooking,
} from "../bookings/booking.ts";
import {
  reservationCancelledEvent,
  reservationCreatedEvent,
  reservationUpdatedEvent,
  type PublicReservation,
} from "../bookings/reservation.ts";

/**
 * The list of the public catalog that has the objects of an event, by the prefix of the event type.
 */
const LISTS: Partial<Record<EventPrefix, keyof PublicCatalog>> = {
  service: "services",
  service_price: "services",
  service_variant: "services",
  service_category: "serviceCategories",
  menu_item: "menuItems",
  menu_category: "menuCategories",
  promotion: "promotions",
  staff: "staff",
  addon: "addons",
  event: "events",
  event_availability: "events",
};

/**
 * Returns a sample event of the type, made from the catalog; undefined if the catalog has no object
 * for this type, or if a feature publishes the events of this type.
 */
export function sampleEvent(
  type: EventType,
  state: CatalogState,
  business: { id: string; catalogVersion: number },
  now: number,
): EventDraft | undefined {
  const { id, catalogVersion } = business;
  if (type === "catalog.changed")
    return catalogChangedEvent([], [id], { from: catalogVersion, to: catalogVersion });
  const prefix = prefixOf(type);
  if (type === "business.added" || type === "business.removed")
    return businessEvent(type, { id, ...state.catalog.business });
  const list = LISTS[prefix];
  if (list === undefined) return sampleBookingEvent(type, state, now);
  const objects = state.publicCatalog[list];
  const [first] = objects;
  if (first === undefined) return undefined;
  const action = actionOf(type);
  if (action === "reordered") return reorderedEvent(type, objects);
  if (action !== "deleted") return eventDraft(type, "all", first, [first.id]);
  const deletedAt = formatInstant(now, state.catalog.business.timezone);
  return eventDraft(type, [], { ...first, deletedAt }, [first.id]);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const customerRef = "sample";

/**
 * Returns an event about a sample booking or reservation; undefined if the catalog lacks the
 * service or table for it.
 */
function sampleBookingEvent(
  type: EventType,
  state: CatalogState,
  now: number,
): EventDraft | undefined {
  switch (prefixOf(type)) {
    case "booking":
      return sampleBooking(actionOf(type) as SampleAction, state, now);
    case "reservation":
      return sampleReservation(actionOf(type) as SampleAction, state, now);
    default:
      return undefined;
  }
}

function sampleTimes(
  { catalog }: CatalogState,
  now: number,
  durationMin: number,
): { startsAt: string; endsAt: string } {
  const start = Math.ceil(now / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  const { timezone } = catalog.business;
  return {
    startsAt: formatInstant(start, timezone),
    endsAt: formatInstant(start + durationMin * MINUTE_MS, timezone),
  };
}

type SampleAction = "created" | "updated" | "cancelled";

/**
 * Returns the state of a sample visit. The update in a sample event is the approval of the visit.
 */
const visitState = (action: SampleAction, { catalog }: CatalogState, now: number) => {
  const at = formatInstant(now, catalog.business.timezone);
  return {
    status: action === "cancelled" ? "CANCELLED" : "CONFIRMED",
    customerRef,
    decideBy: null,
    cancelledBy: action === "cancelled" ? "GUEST" : null,
    cancelReason: null,
    version: action === "created" ? 1 : 2,
    createdAt: at,
    updatedAt: at,
  } as const;
};

function sampleBooking(
  action: SampleAction,
  state: CatalogState,
  now: number,
): EventDraft | undefined {
  const [service] = state.publicCatalog.services;
  if (service === undefined) return undefined;
  const { id: serviceId, priceCents, currency, durationMin, staffIds } = service;
  const times = sampleTimes(state, now, durationMin);
  const segment = {
    serviceId,
    variantId: null,
    addons: [],
    staffId: staffIds[0] ?? null,
    serviceName: service.name,
    variantName: null,
    staffName: null,
    priceCents,
    ...times,
  };
  const booking: PublicBooking = {
    id: "bkg_sample",
    ...visitState(action, state, now),
    ...times,
    cancelUntil: times.startsAt,
    segments: [segment],
    guests: 1,
    totalCents: priceCents,
    currency,
  };
  if (action === "created") return bookingCreatedEvent(booking);
  if (action === "cancelled") return bookingCancelledEvent(booking);
  return bookingUpdatedEvent({ ...booking, status: "PENDING" }, booking);
}

function sampleReservation(
  action: SampleAction,
  state: CatalogState,
  now: number,
): EventDraft | undefined {
  const { business, objects } = state.catalog;
  const table = objects.table.find(({ status }) => status === "ACTIVE");
  if (table === undefined) return undefined;
  const times = sampleTimes(state, now, 90);
  const area = objects.area.find(({ key }) => key === table.area);
  const reservation: PublicReservation = {
    id: "rsv_sample",
    ...visitState(action, state, now),
    partySize: table.maxSeats,
    ...times,
    cancelUntil: times.startsAt,
    areaId: area === undefined ? null : objectId("area", business.slug, area),
    tableId: objectId("table", business.slug, table),
  };
  if (action === "created") return reservationCreatedEvent(reservation);
  if (action === "cancelled") return reservationCancelledEvent(reservation);
  return reservationUpdatedEvent({ ...reservation, status: "PENDING" }, reservation);
}
