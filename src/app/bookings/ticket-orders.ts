import type { PublicEventDoc, TicketTypeDoc } from "../../domain/catalog/catalog.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { shellQuote } from "../../domain/text.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { assertCancellable } from "./bookings.ts";
import { placesLeft, ticketTypeId } from "../../domain/public/public-event.ts";
import {
  generateCode,
  hashAdmissionCode,
  normalizeCode,
} from "../../domain/bookings/short-code.ts";
import {
  type PublicTicket,
  type PublicTicketOrder,
  toPublicTicketOrder,
  toPublicTicket,
  ticketOrderEvent,
  type Ticket,
  type TicketOrder,
  assertSellable,
  ticketCheckedInEvent,
} from "../../domain/bookings/ticket-order.ts";
import {
  type TicketOrderRequest,
  parseTicketOrderRequest,
} from "../../domain/bookings/requests.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { getBusiness } from "../businesses.ts";
import { endTicketOrder, expireDueOrders, changeHolds } from "./ticket-holds.ts";
import { appendEvents } from "../events.ts";
import { getByKeyOrId, getStoredObject } from "../catalog/objects.ts";
import { formatInstant } from "../../domain/local-time.ts";

const PENDING_MS = 15 * 60_000;
const ORDER_CODE_GROUPS = 2;
const ADMISSION_CODE_GROUPS = 4;

/**
 * Holds tickets until they are paid.
 * @throws AppError validation_failed, resource_not_found, conflict
 */
export function createTicketOrder(rt: Runtime, slug: string, input: unknown): PublicTicketOrder {
  const request = parseTicketOrderRequest(input);
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueOrders(rt, business);
    const order = planOrder(rt, business, request);
    const publicOrder = toPublicTicketOrder(order, business.doc.timezone);
    changeHolds(rt, business, [order], 1, () => {
      rt.store.orders.insert(business.id, order);
      appendEvents(rt, business, [ticketOrderEvent("created", publicOrder)]);
    });
    return publicOrder;
  });
}

function planOrder(rt: Runtime, business: BusinessRow, request: TicketOrderRequest): TicketOrder {
  const now = rt.now();
  const event = getStoredObject(rt, business, "public_event", request.event);
  const idOf = (type: TicketTypeDoc): string => ticketTypeId(business.slug, event, type);
  const requested = [...Map.groupBy(request.items, ({ key }) => findType(event, key, idOf))].map(
    ([type, items]) => ({
      type,
      quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
    }),
  );
  const taken = rt.store.orders.countHeldTickets(business.id);
  const left = placesLeft(event, {
    slug: business.slug,
    taken: (typeId) => taken.get(typeId) ?? 0,
  });
  assertSellable(event, requested, left, now);
  return {
    id: rt.newId("tor"),
    code: generateUnusedCode(rt, business.id),
    status: "PENDING",
    eventId: objectId("public_event", business.slug, event),
    items: requested.map(({ type, quantity }) => ({
      ticketTypeId: idOf(type),
      quantity,
      unitPriceCents: type.priceCents,
    })),
    totalCents: requested.reduce((sum, { type, quantity }) => sum + type.priceCents * quantity, 0),
    currency: business.doc.currency,
    currencyDigits: business.doc.currencyDigits,
    customerRef: request.customerRef,
    expiresAt: now + PENDING_MS,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

const findType = (
  event: PublicEventDoc,
  keyOrId: string,
  idOf: (type: TicketTypeDoc) => string,
): TicketTypeDoc =>
  getByKeyOrId(
    event.ticketTypes.filter(({ status }) => status === "ACTIVE"),
    `'${event.name}' has no ticket type`,
    keyOrId,
    idOf,
    `deskbell public-events show ${shellQuote(event.key)}`,
  );

function generateUnusedCode(rt: Runtime, businessId: string): string {
  for (;;) {
    const code = generateCode(rt.random, ORDER_CODE_GROUPS);
    if (!rt.store.orders.findByIdOrCode(businessId, code, code)) return code;
  }
}

export type IssuedTicket = PublicTicket & { admissionCode: string };

/**
 * Issues the tickets of a paid order. Their admission codes are returned only here.
 * @param name the order's ID or code
 * @throws AppError resource_not_found, conflict
 */
export function confirmTicketOrder(
  rt: Runtime,
  slug: string,
  name: string,
): { order: PublicTicketOrder; tickets: IssuedTicket[] } {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueOrders(rt, business);
    const order = getTicketOrder(rt, business.id, name);
    if (order.status !== "PENDING")
      throw new AppError(
        "conflict",
        `Order ${order.code} cannot be confirmed: its status is ${order.status}.`,
      );
    const now = rt.now();
    rt.store.orders.confirm(order.id, now);
    const types = order.items.flatMap(({ ticketTypeId, quantity }) =>
      Array<string>(quantity).fill(ticketTypeId),
    );
    const tickets = types.map((ticketTypeId) => issueTicket(rt, business, order, ticketTypeId));
    const confirmed: TicketOrder = {
      ...order,
      status: "CONFIRMED",
      version: order.version + 1,
      updatedAt: now,
    };
    const publicOrder = toPublicTicketOrder(confirmed, business.doc.timezone);
    appendEvents(rt, business, [ticketOrderEvent("confirmed", publicOrder)]);
    return { order: publicOrder, tickets };
  });
}

function issueTicket(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  ticketTypeId: string,
): IssuedTicket {
  const admissionCode = generateCode(rt.random, ADMISSION_CODE_GROUPS);
  const ticket: Ticket = {
    id: rt.newId("tck"),
    orderId: order.id,
    eventId: order.eventId,
    ticketTypeId,
    status: "VALID",
    checkedInAt: null,
    version: 1,
    createdAt: rt.now(),
  };
  rt.store.tickets.insert(business.id, ticket, hashAdmissionCode(admissionCode));
  return { ...toPublicTicket(ticket, business.doc.timezone), admissionCode };
}

/** @throws AppError resource_not_found, conflict */
export function cancelTicketOrder(rt: Runtime, slug: string, name: string): PublicTicketOrder {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDueOrders(rt, business);
    const order = getTicketOrder(rt, business.id, name);
    assertCancellable(`Order ${order.code}`, order);
    if (
      rt.store.tickets.list({ businessId: business.id, orderId: order.id, status: "CHECKED_IN" }, 1)
        .length > 0
    )
      throw new AppError(
        "conflict",
        `Order ${order.code} cannot be cancelled: one of its tickets has been checked in.`,
      );
    let publicOrder = toPublicTicketOrder(order, business.doc.timezone);
    changeHolds(rt, business, [order], -1, () => {
      publicOrder = endTicketOrder(rt, business, order, "CANCELLED");
    });
    return publicOrder;
  });
}

export const getTicketOrder = (rt: Runtime, businessId: string, name: string): TicketOrder =>
  assertFound(
    rt.store.orders.findByIdOrCode(businessId, name, normalizeCode(name)),
    `There is no order '${name}'.`,
    "deskbell ticket-orders list",
  );

/**
 * @param codeOrId the admission code, or the ticket's ID if the holder lost the code
 * @throws AppError resource_not_found, conflict
 */
export function checkInTicket(rt: Runtime, slug: string, codeOrId: string): PublicTicket {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const { timezone } = business.doc;
    const ticket = assertFound(
      rt.store.tickets.findByIdOrAdmission(business.id, codeOrId, hashAdmissionCode(codeOrId)),
      "There is no ticket with this code or ID.",
      "deskbell tickets list --order <order>",
    );
    if (ticket.status === "VOID")
      throw new AppError("conflict", `Ticket ${ticket.id} is void: its order was cancelled.`);
    if (ticket.checkedInAt !== null)
      throw new AppError(
        "conflict",
        `Ticket ${ticket.id} was checked in at ${formatInstant(ticket.checkedInAt, timezone)}.`,
      );
    const now = rt.now();
    rt.store.tickets.checkIn(ticket.id, now);
    const publicTicket = toPublicTicket(
      { ...ticket, status: "CHECKED_IN", checkedInAt: now, version: ticket.version + 1 },
      timezone,
    );
    appendEvents(rt, business, [ticketCheckedInEvent(publicTicket)]);
    return publicTicket;
  });
}
