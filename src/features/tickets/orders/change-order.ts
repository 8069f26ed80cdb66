import {
  type PublicTicketOrder,
  type TicketOrder,
  toPublicTicketOrder,
  wrongOrderStatusError,
} from "../rules.ts";
import { normalizeCode } from "../short-code.ts";
import { wrongStatusError } from "../../../domain/bookings/visit.ts";
import { assertFound } from "../../../domain/errors.ts";
import { quote } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { changesOnly, OPERATOR, seesOnly, type VisitAccess } from "../../../app/bookings/access.ts";
import { auditOrder } from "./audit-order.ts";
import { changeTakenTickets, endTicketOrder, expireDueOrders } from "./take-tickets.ts";
import { createOrderStore, createTicketStore } from "../store.ts";

/** @throws AppError resource_not_found, wrong_status */
export function cancelTicketOrder(
  rt: Runtime,
  slug: string,
  name: string,
  reason: string | null = null,
): PublicTicketOrder {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const order = getTicketOrderToChange(rt, business, OPERATOR, name);
    return toPublicTicketOrder(cancelOrder(rt, business, order, reason), business.doc.timezone);
  });
}

/** Cancels an order. Call it in a transaction. @throws AppError wrong_status */
export function cancelOrder(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  reason: string | null,
): TicketOrder {
  if (order.status !== "PENDING" && order.status !== "CONFIRMED")
    throw wrongOrderStatusError(order, "cancelled");
  const checkedIn = { businessId: business.id, orderId: order.id, status: "CHECKED_IN" as const };
  if (rt.openStore(createTicketStore).list(checkedIn, 1).length > 0)
    throw wrongStatusError(
      `Order ${order.code}`,
      "cancelled",
      "one of its tickets has been checked in",
      order.status,
    );
  // The callback below runs before `changeTakenTickets` returns, and replaces this value.
  let cancelled = order;
  changeTakenTickets(rt, business, [order], "release", () => {
    cancelled = endTicketOrder(rt, business, order, "CANCELLED", reason);
  });
  auditOrder(rt, business, "ticket_order.cancelled", order);
  return cancelled;
}

/** @param name the ID; the operator can also give the code */
export const getVisibleTicketOrder = (
  rt: Runtime,
  businessId: string,
  access: VisitAccess,
  name: string,
): TicketOrder => getOrderOf(rt, businessId, access, name, seesOnly(access));

/** @param createdByKey the key that must have made the order; null for any */
function getOrderOf(
  rt: Runtime,
  businessId: string,
  { keyId }: VisitAccess,
  name: string,
  createdByKey: string | null,
): TicketOrder {
  // The operator alone can find an order by its code. The empty code finds no order.
  const code = keyId === null ? normalizeCode(name) : "";
  return assertFound(
    rt.openStore(createOrderStore).findByIdOrCode(businessId, name, code, createdByKey),
    `There is no order ${quote(name)}.`,
    "deskbell ticket-orders list",
  );
}

/**
 * Returns an order. Overdue orders expire first, so that none of them is changed. Call it in a
 * transaction.
 */
export function getTicketOrderToChange(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  name: string,
): TicketOrder {
  expireDueOrders(rt, business);
  return getOrderOf(rt, business.id, access, name, changesOnly(access));
}

export const getTicketOrder = (rt: Runtime, businessId: string, name: string): TicketOrder =>
  getVisibleTicketOrder(rt, businessId, OPERATOR, name);
