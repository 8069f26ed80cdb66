import {
  type Cancellable,
  filtersOf,
  MAX_CANCELLED,
} from "../../../app/bookings/operator-changes.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { VisitListFilter } from "../../../store/bookings/visit-lists.ts";
import { cancelOrder } from "./change-order.ts";
import type { TicketOrder } from "../rules.ts";
import { createOrderStore, createTicketStore } from "../store.ts";
import { expireDueOrders } from "./take-tickets.ts";

/** Lists and cancels a key's ticket orders. An order with a checked-in ticket stays. */
export const CANCELLABLE_ORDERS: Cancellable<TicketOrder> = {
  expireDue: expireDueOrders,
  list: (rt, businessId, madeByKey) =>
    filtersOf(businessId, madeByKey)
      .flatMap((filter) => listOrders(rt, filter))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, MAX_CANCELLED),
  cancel: cancelOrder,
};

/**
 * Returns the orders that can be cancelled. Further pages are read until there are enough, because
 * orders with checked-in tickets or for past events are left out.
 */
function listOrders(rt: Runtime, filter: VisitListFilter): TicketOrder[] {
  const { businessId } = filter;
  const found: TicketOrder[] = [];
  let after: VisitListFilter["after"];
  do {
    const page = rt.openStore(createOrderStore).listPage({ ...filter, after }, MAX_CANCELLED);
    for (const order of page)
      if (isUpcoming(rt, businessId, order) && !isCheckedIn(rt, businessId, order))
        found.push(order);
    const last = page.at(-1);
    after = last && { at: last.createdAt, id: last.id };
  } while (after !== undefined && found.length < MAX_CANCELLED);
  return found;
}

/**
 * Returns whether the event of an order has not begun. A postponed event has not begun, even if its
 * old start has passed. A removed event never begins.
 */
function isUpcoming(rt: Runtime, businessId: string, { eventId }: TicketOrder): boolean {
  const event = rt.store.catalog.findByKeyOrId(businessId, "public_event", eventId);
  return event === undefined || event.status === "POSTPONED" || event.startsAt > rt.now();
}

const isCheckedIn = (rt: Runtime, businessId: string, { id: orderId }: TicketOrder): boolean =>
  rt.openStore(createTicketStore).list({ businessId, orderId, status: "CHECKED_IN" }, 1).length > 0;
