import {
  type PublicTicketOrder,
  toPublicTicketOrder,
  ticketOrderEvent,
  type TicketOrder,
} from "../../domain/bookings/ticket-order.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { appendEvents } from "../events.ts";
import { changeHolds } from "./ticket-holds.ts";

/** Expires every order that was not confirmed in time, and releases its tickets. */
export function expireTicketOrders(rt: Runtime): void {
  for (const id of rt.store.orders.listBusinessesWithOverdue(rt.now()))
    rt.tx(() => {
      const business = rt.store.businesses.findById(id);
      if (business) expireDueOrders(rt, business);
    });
}

/** Run before counting tickets, because the scheduler may not have run since an order expired. */
export function expireDueOrders(rt: Runtime, business: BusinessRow): void {
  const due = rt.store.orders.listOverdue(business.id, rt.now());
  if (due.length === 0) return;
  changeHolds(rt, business, due, -1, () => {
    for (const order of due) endTicketOrder(rt, business, order, "EXPIRED");
  });
}

export function endTicketOrder(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  status: "CANCELLED" | "EXPIRED",
): PublicTicketOrder {
  const now = rt.now();
  rt.store.orders.end(business.id, order.id, status, now);
  rt.store.tickets.voidByOrder(order.id);
  const publicOrder = toPublicTicketOrder(
    { ...order, status, updatedAt: now },
    business.doc.timezone,
  );
  appendEvents(rt, business, [ticketOrderEvent("cancelled", publicOrder)]);
  return publicOrder;
}
