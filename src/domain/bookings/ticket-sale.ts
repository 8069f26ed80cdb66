import type { PublicEventDoc, TicketTypeDoc } from "../catalog/catalog.ts";
import { AppError } from "../errors.ts";

/** How many tickets of which type somebody wants. */
export type RequestedTickets = { type: TicketTypeDoc; quantity: number };

/**
 * @param left quota key -> places left
 * @throws AppError conflict, validation_failed
 */
export function assertSellable(
  event: PublicEventDoc,
  demands: readonly RequestedTickets[],
  left: ReadonlyMap<string, number>,
  now: number,
): void {
  refuseClosedEvent(event, now);
  for (const demand of demands) refuseTerms(demand, now);
  for (const { key, ticketTypes } of event.quotas)
    refuseTooMany(
      event,
      demands.filter(({ type }) => ticketTypes.includes(type.key)),
      left.get(key) ?? 0,
    );
}

function refuseTooMany(
  event: PublicEventDoc,
  demands: readonly RequestedTickets[],
  left: number,
): void {
  if (demands.reduce((sum, { quantity }) => sum + quantity, 0) <= left) return;
  const names = demands.map(({ type }) => `'${type.name}'`).join(" and ");
  throw new AppError(
    "conflict",
    left === 0
      ? `${names} of '${event.name}' ${demands.length > 1 ? "are" : "is"} sold out.`
      : `Only ${left} of ${names} ${left === 1 ? "is" : "are"} left for '${event.name}'.`,
  );
}

function refuseClosedEvent({ name, status, endsAt }: PublicEventDoc, now: number): void {
  if (status !== "PUBLISHED")
    throw new AppError("conflict", `'${name}' is not on sale: its status is ${status}.`);
  if (endsAt <= now) throw new AppError("conflict", `'${name}' is over.`);
}

function refuseTerms({ type, quantity }: RequestedTickets, now: number): void {
  const { name, salesStartAt, salesEndAt, minPerOrder, maxPerOrder } = type;
  if (salesStartAt !== null && now < salesStartAt)
    throw new AppError("conflict", `The sale of '${name}' has not begun.`);
  if (salesEndAt !== null && salesEndAt <= now)
    throw new AppError("conflict", `The sale of '${name}' has ended.`);
  if (quantity < minPerOrder || quantity > maxPerOrder)
    throw new AppError(
      "validation_failed",
      `An order takes ${minPerOrder} to ${maxPerOrder} of '${name}', not ${quantity}.`,
    );
}
