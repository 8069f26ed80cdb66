import type { GuestNews } from "../../../app/feature-hooks.ts";
import { tellGuest } from "../../../app/guests/guest-news.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import {
  type EventNames,
  type EventPlan,
  ticketTypeId,
} from "../../../domain/public/public-event.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { TicketOrder } from "../rules.ts";

/**
 * Tells the guest of an order what has happened to it. Call it in the change's transaction.
 * @param change the event after a change, which is not stored yet, and its plans before and after it
 */
export function tellOfOrder(
  rt: Runtime,
  business: BusinessRow,
  { id, status, version, eventId, expiresAt, updatedAt, createdByKey }: TicketOrder,
  kind: GuestNews["kind"],
  change?: { event: PublicEventDoc; known: EventPlan; plan: EventPlan },
): void {
  // An order of the operator has no guest data.
  if (createdByKey === null) return;
  // The times of a removed event are unknown, so the time of the change replaces them.
  const event =
    change?.event ?? rt.store.catalog.findByKeyOrId(business.id, "public_event", eventId);
  tellGuest(rt, business, {
    kind,
    id,
    keyId: createdByKey,
    status,
    version,
    startsAt: event?.startsAt ?? updatedAt,
    endsAt: event?.endsAt ?? updatedAt,
    decideBy: status === "PENDING" ? expiresAt : null,
    // Guests can cancel only an unpaid order, so the time to cancel any other order is already
    // over.
    cancelUntil: status === "PENDING" ? expiresAt : updatedAt,
    ...(event && { event: namesOf(business, event) }),
    ...(change && { plans: { known: change.known, plan: change.plan } }),
  });
}

export const namesOf = ({ slug }: BusinessRow, event: PublicEventDoc): EventNames => ({
  name: event.name,
  venue: event.venue?.name ?? null,
  venueAddress: event.venue?.address ?? null,
  isOnline: event.attendanceMode === "ONLINE",
  ticketTypes: Object.fromEntries(
    event.ticketTypes.map((type) => [ticketTypeId(slug, event, type), type.name]),
  ),
});
