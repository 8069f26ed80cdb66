import {
  type PublicTicketOrder,
  representOrder,
  tellOrder,
  type TicketOrder,
} from "../../domain/day/ticket-order.ts";
import type { Runtime } from "../../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { appendEvents } from "../events.ts";
import { changeHolds } from "./ticket-holds.ts";

/** Lets go of the tickets of every order that was not confirmed in time. */
export function expireOrders(rt: Runtime): void {
  for (const id of rt.store.orders.businessesDue(rt.now()))
    rt.tx(() => {
      const business = rt.store.businesses.byId(id);
      if (business) expireDue(rt, business);
    });
}

/** Before anything is counted: an order whose time is over holds nothing, though nobody was running to say so. */
export function expireDue(rt: Runtime, business: BusinessRow): void {
  const due = rt.store.orders.due(business.id, rt.now());
  if (due.length === 0) return;
  changeHolds(rt, business, due, -1, () => {
    for (const order of due) endOrder(rt, business, order, "EXPIRED");
  });
}

export function endOrder(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  status: "CANCELLED" | "EXPIRED",
): PublicTicketOrder {
  const now = rt.now();
  rt.store.orders.end(business.id, order.id, status, now);
  rt.store.tickets.voidOf(order.id);
  const shown = representOrder({ ...order, status, updatedAt: now }, business.doc.timezone);
  appendEvents(rt, business, [tellOrder("cancelled", shown)]);
  return shown;
}
