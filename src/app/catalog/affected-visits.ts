import type { Catalog, Keyed } from "../../domain/catalog/catalog.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import { objectId, originalKey } from "../../domain/catalog/object-id.ts";
import { ticketTypeId } from "../../domain/public/public-event.ts";
import { variantId } from "../../domain/public/service.ts";
import { AppError } from "../../domain/errors.ts";
import {
  type AffectedVisits,
  affectedVisitsText,
  NO_VISITS,
} from "../../domain/bookings/affected-visits.ts";
import { cancelBooking, cancelReservation } from "../bookings/bookings.ts";
import { cancelTicketOrder } from "../bookings/ticket-orders.ts";
import type { Runtime } from "../runtime.ts";

/** An object that stays in the catalog with another status keeps its visits. */
export function findAffectedVisits(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): AffectedVisits {
  const ids = [
    ...changes.filter(({ action }) => action === "delete").map(({ id }) => id),
    ...deletedParts(before, after, changes),
  ];
  if (ids.length === 0) return NO_VISITS;
  const now = rt.now();
  const ended = new Set(
    before.objects.public_event
      .filter(({ endsAt }) => endsAt <= now)
      .map((event) => objectId("public_event", before.business.slug, event)),
  );
  return {
    bookings: rt.store.bookings.listUpcomingOf(businessId, now, ids),
    reservations: rt.store.reservations.listUpcomingOf(businessId, now, ids),
    ticketOrders: rt.store.orders
      .listActiveOf(businessId, now, ids)
      .filter(({ eventId }) => !ended.has(eventId))
      .map(({ id }) => id),
  };
}

/** IDs of the variants and ticket types that are missing from objects that stay. */
function deletedParts(
  { business: { slug }, objects }: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): string[] {
  const updated = new Set(changes.filter(({ action }) => action === "update").map(({ id }) => id));
  const pairs = <Doc extends Keyed>(kind: "service" | "public_event", from: Doc[], to: Doc[]) => {
    const kept = new Map(to.map((doc) => [objectId(kind, slug, doc), doc]));
    return from.flatMap((doc) => {
      const id = objectId(kind, slug, doc);
      const next = updated.has(id) ? kept.get(id) : undefined;
      return next === undefined ? [] : [{ doc, next }];
    });
  };
  const missing = <Part extends Keyed>(from: readonly Part[], to: readonly Part[]): Part[] => {
    const keys = new Set(to.map(originalKey));
    return from.filter((part) => !keys.has(originalKey(part)));
  };
  return [
    ...pairs("service", objects.service, after.objects.service).flatMap(({ doc, next }) =>
      missing(doc.variants, next.variants).map((variant) => variantId(slug, doc, variant)),
    ),
    ...pairs("public_event", objects.public_event, after.objects.public_event).flatMap(
      ({ doc, next }) =>
        missing(doc.ticketTypes, next.ticketTypes).map((type) => ticketTypeId(slug, doc, type)),
    ),
  ];
}

/** @throws AppError conflict if a ticket of an order has been checked in */
export function cancelAffectedVisits(rt: Runtime, slug: string, affected: AffectedVisits): void {
  for (const id of affected.bookings) cancelBooking(rt, slug, id);
  for (const id of affected.reservations) cancelReservation(rt, slug, id);
  for (const id of affected.ticketOrders) cancelTicketOrder(rt, slug, id);
}

/** @throws AppError state_refuses */
export function assertNoAffectedVisits(affected: AffectedVisits): void {
  const text = affectedVisitsText(affected);
  if (text === null) return;
  throw new AppError(
    "state_refuses",
    `This would delete objects of the catalog that are booked: ${text}. Nothing was changed.`,
    {
      fix: "keep the objects with status INACTIVE (public events: CANCELLED), or add --cancel-affected, which cancels the bookings and orders",
    },
  );
}
