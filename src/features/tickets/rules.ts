import type { z } from "zod";
import { formatInstant } from "../../domain/local-time.ts";
import { eventDraft, type EventDraft } from "../../domain/events/envelope.ts";
import type * as schemas from "../../domain/public/schemas/bookings.ts";
import type { PublicEventDoc, TicketTypeDoc } from "../../domain/catalog/catalog.ts";
import { countOf } from "../../domain/text.ts";
import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import { wrongStatusError } from "../../domain/bookings/visit.ts";

/** How long an order waits for its payment, unless the booking page gives it more time. */
export const PENDING_MS = 15 * 60_000;

export type TicketOrder = {
  id: string;
  /** The code by which the box office finds the order. The code admits nobody. */
  code: string;
  status: "PENDING" | "CONFIRMED" | "CANCELLED" | "EXPIRED";
  eventId: string;
  items: { ticketTypeId: string; quantity: number; unitPriceCents: number }[];
  totalCents: number;
  currency: string;
  currencyDigits: number;
  customerRef: string | null;
  /** The API key that created the order; null for the operator. */
  createdByKey: string | null;
  cancelReason: string | null;
  /** The ID of the payment in the seller's system; null until the order is confirmed. */
  paymentRef: string | null;
  /** When a pending order expires and releases its tickets. */
  expiresAt: number;
  /** The version number: it starts at 1 and grows by 1 with each change of the order. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type PublicTicketOrder = z.infer<typeof schemas.ticketOrder>;

export function toPublicTicketOrder(order: TicketOrder, timezone: string): PublicTicketOrder {
  const { status, expiresAt } = order;
  const expires = status === "PENDING" || status === "EXPIRED";
  return {
    id: order.id,
    code: order.code,
    status,
    eventId: order.eventId,
    items: order.items,
    totalCents: order.totalCents,
    currency: order.currency,
    customerRef: order.customerRef,
    expiresAt: expires ? formatInstant(expiresAt, timezone) : null,
    version: order.version,
    createdAt: formatInstant(order.createdAt, timezone),
    updatedAt: formatInstant(order.updatedAt, timezone),
  };
}

export const wrongOrderStatusError = ({ code, status }: TicketOrder, verb: string): AppError =>
  wrongStatusError(`Order ${code}`, verb, `its status is ${status}`, status);

export type Ticket = {
  id: string;
  orderId: string;
  eventId: string;
  ticketTypeId: string;
  status: "VALID" | "CHECKED_IN" | "VOID";
  checkedInAt: number | null;
  /** The version number: it starts at 1 and grows by 1 with each change of the ticket. */
  version: number;
  createdAt: number;
};

export type PublicTicket = z.infer<typeof schemas.ticket>;

export const toPublicTicket = (
  { id, orderId, eventId, ticketTypeId, status, checkedInAt, version }: Ticket,
  timezone: string,
): PublicTicket => ({
  id,
  orderId,
  eventId,
  ticketTypeId,
  status,
  checkedInAt: checkedInAt === null ? null : formatInstant(checkedInAt, timezone),
  version,
});

/**
 * Returns the event about an order. The `changed` flags of a `created` event are all true, and the
 * later events set only the flag of the status. An order that expires also gets a `cancelled`
 * event, in which its status is EXPIRED.
 */
export const ticketOrderEvent = (
  action: "created" | "confirmed" | "cancelled",
  object: PublicTicketOrder,
): EventDraft =>
  eventDraft(`ticket_order.${action}`, action === "created" ? "all" : ["status"], object, [
    object.id,
  ]);

export const ticketCheckedInEvent = (object: PublicTicket): EventDraft =>
  eventDraft("ticket.checked_in", ["checkIn"], object, [object.id]);

export type RequestedTickets = {
  type: TicketTypeDoc;
  quantity: number;
  /** The indexes in `items` of the request at which this ticket type occurs. */
  positions: readonly number[];
};

/** Returns one issue with the text `detail` for each requested quantity. */
export const quantityIssues = (
  requested: readonly RequestedTickets[],
  detail: string,
): ValidationIssue[] =>
  requested
    .flatMap(({ positions }) => positions)
    .map((i) => ({ pointer: `#/items/${i}/quantity`, code: "invalid_value", detail }));

/** Returns the quoted names of the ticket types, such as `'Seat' and 'Standing'`. */
export const nameTypes = (requested: readonly RequestedTickets[]): string =>
  requested.map(({ type }) => `'${type.name}'`).join(" and ");

/**
 * @param left the number of tickets left, by quota key
 * @throws AppError conflict, validation_failed
 */
export function assertSellable(
  event: PublicEventDoc,
  requested: readonly RequestedTickets[],
  left: ReadonlyMap<string, number>,
  now: number,
): void {
  assertOnSale(event, now);
  for (const tickets of requested) assertTerms(tickets, now);
  for (const { key, ticketTypes } of event.quotas)
    assertEnoughLeft(
      event,
      requested.filter(({ type }) => ticketTypes.includes(type.key)),
      left.get(key) ?? 0,
    );
}

function assertEnoughLeft(
  event: PublicEventDoc,
  requested: readonly RequestedTickets[],
  left: number,
): void {
  if (requested.reduce((sum, { quantity }) => sum + quantity, 0) <= left) return;
  const names = nameTypes(requested);
  throw new AppError(
    "conflict",
    left === 0
      ? `${names} of '${event.name}' ${requested.length > 1 ? "are" : "is"} sold out.`
      : `Only ${countOf(left, "ticket")} of ${names} ${left === 1 ? "is" : "are"} left for '${event.name}'.`,
  );
}

function assertOnSale({ name, status, endsAt }: PublicEventDoc, now: number): void {
  if (status !== "PUBLISHED")
    throw new AppError("conflict", `'${name}' is not on sale: its status is ${status}.`);
  if (endsAt <= now) throw new AppError("conflict", `'${name}' has ended.`);
}

function assertTerms(requested: RequestedTickets, now: number): void {
  const { type, quantity } = requested;
  const { name, salesStartAt, salesEndAt, minPerOrder, maxPerOrder } = type;
  if (salesStartAt !== null && now < salesStartAt)
    throw new AppError("conflict", `Ticket sales for '${name}' have not started.`);
  if (salesEndAt !== null && salesEndAt <= now)
    throw new AppError("conflict", `Ticket sales for '${name}' have ended.`);
  if (quantity < minPerOrder || quantity > maxPerOrder) {
    const range = minPerOrder === maxPerOrder ? minPerOrder : `${minPerOrder} to ${maxPerOrder}`;
    const detail = `An order can have ${range} tickets of '${name}', not ${quantity}.`;
    throw new AppError("validation_failed", detail, {
      issues: quantityIssues([requested], detail),
    });
  }
}
