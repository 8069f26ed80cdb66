import type { PublicEventDoc, TicketTypeDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { shellWord } from "../../domain/shell-word.ts";
import { AppError } from "../../domain/errors.ts";
import { placesLeft, ticketTypeId } from "../../domain/public/public-event.ts";
import { drawCode, hashAdmission, readCode } from "../../domain/day/short-code.ts";
import {
  type PublicTicket,
  type PublicTicketOrder,
  representOrder,
  representTicket,
  tellOrder,
  type Ticket,
  type TicketOrder,
} from "../../domain/day/ticket-order.ts";
import { type OrderRequest, readOrderRequest } from "../../domain/day/ticket-order-request.ts";
import { refuseUnsellable } from "../../domain/day/ticket-sale.ts";
import type { Runtime } from "../../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { requireBusiness } from "../require-business.ts";
import { endOrder, expireDue } from "./end-orders.ts";
import { appendEvents } from "../events.ts";
import { findNamed, findPublicEvent } from "../catalog/find-object.ts";
import { changeHolds } from "./ticket-holds.ts";

const PENDING_MS = 15 * 60_000;
const ORDER_CODE_GROUPS = 2;
const ADMISSION_CODE_GROUPS = 4;

/**
 * Holds tickets for a customer who is about to pay.
 * @throws AppError validation_failed, resource_not_found, conflict
 */
export function createOrder(rt: Runtime, slug: string, input: unknown): PublicTicketOrder {
  const request = readOrderRequest(input);
  return rt.tx(() => {
    const business = requireBusiness(rt, slug);
    expireDue(rt, business);
    const order = planOrder(rt, business, request);
    const shown = representOrder(order, business.doc.timezone);
    changeHolds(rt, business, [order], 1, () => {
      rt.store.orders.insert(business.id, order);
      appendEvents(rt, business, [tellOrder("created", shown)]);
    });
    return shown;
  });
}

function planOrder(rt: Runtime, business: BusinessRow, request: OrderRequest): TicketOrder {
  const now = rt.now();
  const event = findPublicEvent(rt, business, request.event);
  const idOf = (type: TicketTypeDoc): string => ticketTypeId(business.slug, event, type);
  const demands = [...Map.groupBy(request.items, ({ key }) => findType(event, key, idOf))].map(
    ([type, items]) => ({
      type,
      quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
    }),
  );
  const taken = rt.store.orders.taken(business.id);
  const left = placesLeft(event, {
    slug: business.slug,
    taken: (typeId) => taken.get(typeId) ?? 0,
  });
  refuseUnsellable(event, demands, left, now);
  return {
    id: rt.newId("tor"),
    code: drawFreeCode(rt, business.id),
    status: "PENDING",
    eventId: objectId("public_event", business.slug, event),
    items: demands.map(({ type, quantity }) => ({
      ticketTypeId: idOf(type),
      quantity,
      unitPriceCents: type.priceCents,
    })),
    totalCents: demands.reduce((sum, { type, quantity }) => sum + type.priceCents * quantity, 0),
    currency: business.doc.currency,
    customerRef: request.customerRef,
    expiresAt: now + PENDING_MS,
    createdAt: now,
    updatedAt: now,
  };
}

const findType = (
  event: PublicEventDoc,
  keyOrId: string,
  idOf: (type: TicketTypeDoc) => string,
): TicketTypeDoc =>
  findNamed(
    event.ticketTypes.filter(({ status }) => status === "ACTIVE"),
    `'${event.name}' has no ticket type`,
    keyOrId,
    idOf,
    `deskbell public-events show ${shellWord(event.key)}`,
  );

function drawFreeCode(rt: Runtime, businessId: string): string {
  for (;;) {
    const code = drawCode(rt.random, ORDER_CODE_GROUPS);
    if (!rt.store.orders.named(businessId, code, code)) return code;
  }
}

export type IssuedTicket = PublicTicket & { admissionCode: string };

/**
 * Makes a paid order's tickets. The codes that admit their holders are in this answer and in no other.
 * @param name the order's id or its code
 * @throws AppError resource_not_found, conflict
 */
export function confirmOrder(
  rt: Runtime,
  slug: string,
  name: string,
): { order: PublicTicketOrder; tickets: IssuedTicket[] } {
  return rt.tx(() => {
    const business = requireBusiness(rt, slug);
    const { timezone } = business.doc;
    expireDue(rt, business);
    const order = requireOrder(rt, business.id, name);
    if (order.status !== "PENDING")
      throw new AppError("conflict", `Order ${order.code} is ${order.status}.`);
    const now = rt.now();
    rt.store.orders.confirm(order.id, now);
    const types = order.items.flatMap(({ ticketTypeId, quantity }) =>
      Array<string>(quantity).fill(ticketTypeId),
    );
    const tickets = types.map((ticketTypeId) => issueTicket(rt, business, order, ticketTypeId));
    const shown = representOrder({ ...order, status: "CONFIRMED", updatedAt: now }, timezone);
    appendEvents(rt, business, [tellOrder("confirmed", shown)]);
    return { order: shown, tickets };
  });
}

function issueTicket(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  ticketTypeId: string,
): IssuedTicket {
  const admissionCode = drawCode(rt.random, ADMISSION_CODE_GROUPS);
  const ticket: Ticket = {
    id: rt.newId("tck"),
    orderId: order.id,
    eventId: order.eventId,
    ticketTypeId,
    status: "VALID",
    checkedInAt: null,
    createdAt: rt.now(),
  };
  rt.store.tickets.insert(business.id, ticket, hashAdmission(admissionCode));
  return { ...representTicket(ticket, business.doc.timezone), admissionCode };
}

/**
 * Ends an order, paid or not; its tickets can be sold again.
 * @throws AppError resource_not_found, conflict
 */
export function cancelOrder(rt: Runtime, slug: string, name: string): PublicTicketOrder {
  return rt.tx(() => {
    const business = requireBusiness(rt, slug);
    expireDue(rt, business);
    const order = requireOrder(rt, business.id, name);
    if (order.status !== "PENDING" && order.status !== "CONFIRMED")
      throw new AppError("conflict", `Order ${order.code} is ${order.status}.`);
    if (
      rt.store.tickets.list({ businessId: business.id, orderId: order.id, status: "CHECKED_IN" }, 1)
        .length > 0
    )
      throw new AppError("conflict", `Order ${order.code} has a ticket that has been checked in.`);
    let shown = representOrder(order, business.doc.timezone);
    changeHolds(rt, business, [order], -1, () => {
      shown = endOrder(rt, business, order, "CANCELLED");
    });
    return shown;
  });
}

/** @throws AppError resource_not_found */
export function requireOrder(rt: Runtime, businessId: string, name: string): TicketOrder {
  const order = rt.store.orders.named(businessId, name, readCode(name));
  if (order) return order;
  throw new AppError("resource_not_found", `There is no order '${name}'.`, {
    fix: "deskbell orders list",
  });
}
