import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { saleStates } from "../../domain/public/public-event.ts";
import { deepEqual } from "../../domain/equality.ts";
import type { TicketOrder } from "../../domain/bookings/ticket-order.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { publishChange } from "../catalog/publish.ts";

/**
 * Runs `write`, by which orders take their tickets (`by` 1) or let go of them (-1), inside the transaction. Most sales change
 * a count alone; the whole catalog is looked at only for those after which a type is sold out, or is to be had again.
 */
export function changeHolds(
  rt: Runtime,
  business: BusinessRow,
  orders: readonly TicketOrder[],
  by: 1 | -1,
  write: () => void,
): void {
  if (crossesState(rt, business, orders, by))
    return void publishChange(rt, business.id, write, { lists: ["events"] });
  write();
  rt.store.businesses.incrementRevision(business.id);
}

function crossesState(
  rt: Runtime,
  { id, slug }: BusinessRow,
  orders: readonly TicketOrder[],
  by: 1 | -1,
): boolean {
  const before = rt.store.orders.countHeldTickets(id);
  const after = new Map(before);
  for (const { ticketTypeId, quantity } of orders.flatMap(({ items }) => items))
    after.set(ticketTypeId, (after.get(ticketTypeId) ?? 0) + by * quantity);
  const now = rt.now();
  const states = (event: PublicEventDoc, taken: ReadonlyMap<string, number>) =>
    saleStates(event, { slug, now, taken: (typeId) => taken.get(typeId) ?? 0 });
  const touched = new Set(orders.map(({ eventId }) => eventId));
  return rt.store.catalog
    .listByKind(id, "public_event")
    .some(
      (event) =>
        touched.has(objectId("public_event", slug, event)) &&
        !deepEqual(states(event, before), states(event, after)),
    );
}
