import type { PublicEventDoc, TicketTypeDoc } from "../../../domain/catalog/catalog.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { shellQuote } from "../../../domain/text.ts";
import { totalOfPrices } from "../../../domain/money.ts";
import { placesLeft, ticketTypeId } from "../../../domain/public/public-event.ts";
import { generateCode } from "../short-code.ts";
import {
  PENDING_MS,
  type PublicTicketOrder,
  type RequestedTickets,
  toPublicTicketOrder,
  ticketOrderEvent,
  type TicketOrder,
  assertSellable,
  wrongOrderStatusError,
} from "../rules.ts";
import { parseTicketOrderRequest } from "../requests.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { getBusiness } from "../../../app/businesses.ts";
import { OPERATOR, type VisitAccess } from "../../../app/bookings/access.ts";
import { assertExpectedTotal, type GuestDetails } from "../../../app/bookings/bookings.ts";
import { auditOrder } from "./audit-order.ts";
import { changeTime, nextVersion } from "../../../app/bookings/change-visit.ts";
import { saveCustomer } from "../../../app/bookings/guests.ts";
import { assertMayOrder } from "./limits.ts";
import { type IssuedTicket, issueTicket } from "../tickets.ts";
import { countForVisitor } from "../../../app/bookings/booking-limits.ts";
import { getTicketOrderToChange } from "./change-order.ts";
import { changeTakenTickets, expireDueOrders } from "./take-tickets.ts";
import { appendEvents } from "../../../app/events.ts";
import { tellOfOrder } from "./tell-guest.ts";
import { getByKeyOrId, getStoredObject } from "../../../app/catalog/objects.ts";
import { createOrderStore } from "../store.ts";

/** The number of groups of four characters in the code of an order. */
const ORDER_CODE_GROUPS = 2;

/**
 * Creates an order. The order takes its tickets, and releases them if it is not paid in time.
 * @throws AppError validation_failed, resource_not_found, conflict
 */
export function createTicketOrder(rt: Runtime, slug: string, input: unknown): PublicTicketOrder {
  const request = parseTicketOrderRequest(input);
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const event = getStoredObject(rt, business, "public_event", request.event);
    const guest = { customerRef: request.customerRef, customer: null };
    const order = placeTicketOrder(rt, business, OPERATOR, event, request.items, guest);
    return toPublicTicketOrder(order, business.doc.timezone);
  });
}

type OrderDetails = GuestDetails & {
  /**
   * The total that the client has seen. An order with another total is refused; null accepts any
   * total.
   */
  expectedTotalCents?: number | null;
  /** How long the order waits for its payment; PENDING_MS by default. */
  payWithinMs?: number;
  /** The largest share of a quota that unpaid orders of the same key can take. */
  maxQuotaShare?: number;
  /** Whether the admission codes are kept until the event ends. */
  keepsCodes?: boolean;
};

/**
 * Creates an order. Call it in a transaction.
 * @param items each with the key or ID of a ticket type as `key`
 * @throws AppError resource_not_found, validation_failed, conflict, price_changed
 */
export function placeTicketOrder(
  rt: Runtime,
  business: BusinessRow,
  access: VisitAccess,
  event: PublicEventDoc,
  items: readonly { key: string; quantity: number }[],
  details: OrderDetails,
): TicketOrder {
  expireDueOrders(rt, business);
  const requested = findTypes(business, event, items);
  const order = {
    ...planOrder(rt, business, event, requested, details.payWithinMs),
    createdByKey: access.keyId,
    customerRef: details.customerRef,
  };
  assertExpectedTotal(details.expectedTotalCents ?? null, order.totalCents);
  const { keyId, visitor = null } = access;
  if (keyId !== null)
    assertMayOrder(rt, business, { keyId, visitor }, event, requested, details.maxQuotaShare);
  countForVisitor(rt, access, "order");
  changeTakenTickets(rt, business, [order], "take", () => {
    rt.openStore(createOrderStore).insert(business.id, order, details.keepsCodes ?? false);
    saveCustomer(rt, business.id, order.id, details.customer);
    tellOfOrder(rt, business, order, "received");
    const created = ticketOrderEvent("created", toPublicTicketOrder(order, business.doc.timezone));
    appendEvents(rt, business, [created], order.createdByKey);
  });
  if (access.keyId === null) auditOrder(rt, business, "ticket_order.created", order);
  return order;
}

/**
 * Returns the ticket types of a request. Items of the same type become one.
 * @throws AppError resource_not_found
 */
function findTypes(
  { slug }: BusinessRow,
  event: PublicEventDoc,
  items: readonly { key: string; quantity: number }[],
): RequestedTickets[] {
  const idOf = (type: TicketTypeDoc): string => ticketTypeId(slug, event, type);
  const placed = items.map(({ key, quantity }, position) => ({
    type: findType(event, key, idOf),
    quantity,
    position,
  }));
  return [...Map.groupBy(placed, ({ type }) => type)].map(([type, itemsOfType]) => ({
    type,
    quantity: itemsOfType.reduce((sum, { quantity }) => sum + quantity, 0),
    positions: itemsOfType.map(({ position }) => position),
  }));
}

/** Returns an order to store, for which the caller sets the API key and the customer reference. */
function planOrder(
  rt: Runtime,
  business: BusinessRow,
  event: PublicEventDoc,
  requested: readonly RequestedTickets[],
  payWithinMs = PENDING_MS,
): TicketOrder {
  const now = rt.now();
  const left = placesLeft(event, {
    slug: business.slug,
    taken: (typeId) => rt.store.takenTickets.countOf(business.id, typeId),
  });
  assertSellable(event, requested, left, now);
  return {
    id: rt.newId("tor"),
    code: generateUnusedCode(rt, business.id),
    status: "PENDING",
    eventId: objectId("public_event", business.slug, event),
    items: requested.map(({ type, quantity }) => ({
      ticketTypeId: ticketTypeId(business.slug, event, type),
      quantity,
      unitPriceCents: type.priceCents,
    })),
    totalCents: totalOfPrices(
      requested.map(({ type: { priceCents }, quantity }) => ({ priceCents, quantity })),
    ),
    currency: business.doc.currency,
    currencyDigits: business.doc.currencyDigits,
    customerRef: null,
    createdByKey: null,
    cancelReason: null,
    paymentRef: null,
    expiresAt: now + payWithinMs,
    version: 1,
    createdAt: now,
    // This time never falls, even if the clock was set back, because clients read changes by it.
    updatedAt: changeTime(rt, rt.openStore(createOrderStore), business.id),
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
    if (!rt.openStore(createOrderStore).findByIdOrCode(businessId, code, code)) return code;
  }
}

/** An order with its tickets and their admission codes. */
export type OrderWithTickets = { order: TicketOrder; tickets: IssuedTicket[] };

/**
 * Issues the tickets of a paid order. Their admission codes cannot be read later, except for orders
 * of the booking page.
 * @param name the ID or code of the order
 * @throws AppError resource_not_found, wrong_status
 */
export function confirmTicketOrder(
  rt: Runtime,
  slug: string,
  name: string,
): { order: PublicTicketOrder; tickets: IssuedTicket[] } {
  return rt.tx(() => {
    const business = getBusiness(rt, slug);
    const found = getTicketOrderToChange(rt, business, OPERATOR, name);
    const { order, tickets } = confirmOrder(rt, business, found, null);
    return { order: toPublicTicketOrder(order, business.doc.timezone), tickets };
  });
}

/** Confirms an order. Call it in a transaction. @throws AppError wrong_status */
export function confirmOrder(
  rt: Runtime,
  business: BusinessRow,
  order: TicketOrder,
  paymentRef: string | null,
): OrderWithTickets {
  if (order.status !== "PENDING") throw wrongOrderStatusError(order, "confirmed");
  const confirmed: TicketOrder = {
    ...nextVersion(rt, rt.openStore(createOrderStore), business.id, order),
    status: "CONFIRMED",
    paymentRef,
  };
  rt.openStore(createOrderStore).update(business.id, confirmed);
  const typeOfEachTicket = order.items.flatMap(({ ticketTypeId, quantity }) =>
    Array<string>(quantity).fill(ticketTypeId),
  );
  const tickets = typeOfEachTicket.map((typeId) => issueTicket(rt, business, order, typeId));
  const publicOrder = toPublicTicketOrder(confirmed, business.doc.timezone);
  appendEvents(rt, business, [ticketOrderEvent("confirmed", publicOrder)], order.createdByKey);
  tellOfOrder(rt, business, confirmed, "confirmed");
  auditOrder(rt, business, "ticket_order.confirmed", order);
  return { order: confirmed, tickets };
}
