import type { GuestNews } from "../../app/feature-hooks.ts";
import { tellGuest } from "../../app/guests/guest-news.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { TicketOrder } from "./rules.ts";

/** Tells the guest of an order what has happened to it. Call it in the transaction of the change. */
export function tellOfOrder(
  rt: Runtime,
  business: BusinessRow,
  { id, status, version, eventId, expiresAt, updatedAt, createdByKey }: TicketOrder,
  kind: GuestNews["kind"],
): void {
  if (createdByKey === null) return;
  const event = rt.store.catalog.findByKeyOrId(business.id, "public_event", eventId);
  tellGuest(rt, business, {
    kind,
    id,
    keyId: createdByKey,
    status,
    version,
    startsAt: event?.startsAt ?? updatedAt,
    endsAt: event?.endsAt ?? updatedAt,
    decideBy: status === "PENDING" ? expiresAt : null,
    cancelUntil: status === "PENDING" ? expiresAt : updatedAt,
  });
}
