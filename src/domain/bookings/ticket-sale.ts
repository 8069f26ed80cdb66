import type { PublicEventDoc, TicketTypeDoc } from "../catalog/catalog.ts";
import { countOf } from "../count-of.ts";
import { AppError } from "../errors.ts";

export type RequestedTickets = { type: TicketTypeDoc; quantity: number };

/**
 * @param left tickets left, by quota key
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
  const names = requested.map(({ type }) => `'${type.name}'`).join(" and ");
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

function assertTerms({ type, quantity }: RequestedTickets, now: number): void {
  const { name, salesStartAt, salesEndAt, minPerOrder, maxPerOrder } = type;
  if (salesStartAt !== null && now < salesStartAt)
    throw new AppError("conflict", `Ticket sales for '${name}' have not started.`);
  if (salesEndAt !== null && salesEndAt <= now)
    throw new AppError("conflict", `Ticket sales for '${name}' have ended.`);
  if (quantity < minPerOrder || quantity > maxPerOrder) {
    const range = minPerOrder === maxPerOrder ? minPerOrder : `${minPerOrder} to ${maxPerOrder}`;
    throw new AppError(
      "validation_failed",
      `An order can have ${range} tickets of '${name}', not ${quantity}.`,
    );
  }
}
