import type { PublicEventDoc } from "../../domain/catalog/catalog.ts";
import { saleAvailabilities } from "../../domain/public/public-event.ts";
import { deepEqual } from "../../domain/equality.ts";
import { safe } from "../../domain/text.ts";
import { type TicketOrder, toPublicTicketOrder, ticketOrderEvent } from "./rules.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { nextVersion } from "../../app/bookings/change-visit.ts";
import { publishChange } from "../../app/catalog/publish.ts";
import { appendEvents } from "../../app/events.ts";
import { createOrderStore, createTicketStore } from "./store.ts";

/**
 * Runs `write`, in which orders take (`by` 1) or release (-1) tickets. Most sales change only a
 * count, which is published later. A changed sale state is published immediately.
 */
export function changeHolds(
  rt: Runtime,
  business: BusinessRow,
  orders: readonly TicketOrder[],
  by: 1 | -1,
  write: () => void,
): void {
  const changes = listAvailabilityChanges(rt, business, orders, by);
  const writeAndMark = () => {
    write();
    for (const { eventId } of changes)
      rt.store.eventAvailability.markChanged(business.id, eventId, rt.now());
  };
  if (changes.some(({ changesState }) => changesState))
    return void publishChange(rt, business.id, writeAndMark, { lists: ["events"] });
  writeAndMark();
  rt.store.businesses.incrementRevision(business.id);
}

/** Returns the events whose public availability the orders change. */
function listAvailabilityChanges(
  rt: Runtime,
  { id, slug }: BusinessRow,
  orders: readonly TicketOrder[],
  by: 1 | -1,
): { eventId: string; changesState: boolean }[] {
  const before = rt.store.takenTickets.count(id);
  const after = new Map(before);
  for (const { ticketTypeId, quantity } of orders.flatMap(({ items }) => items))
    after.set(ticketTypeId, (after.get(ticketTypeId) ?? 0) + by * quantity);
  const now = rt.now();
  const seen = (event: PublicEventDoc, held: ReadonlyMap<string, number>) =>
    saleAvailabilities(event, { slug, now, taken: (typeId) => held.get(typeId) ?? 0 });
  return [...new Set(orders.map(({ eventId }) => eventId))].flatMap((eventId) => {
    const event = rt.store.catalog.findByKeyOrId(id, "public_event", eventId);
    if (event === undefined) return [];
    const [from, to] = [seen(event, before), seen(event, after)];
    if (deepEqual(from, to)) return [];
    return [{ eventId, changesState: from.some(({ state }, i) => state !== to[i]?.state) }];
  });
}

export function expireTicketOrders(rt: Runtime): void {
  for (const id of rt.openStore(createOrderStore).listBusinessesWithOverdue(rt.now()))
    rt.tx(() => {
      const business = rt.store.businesses.findById(id);
      if (business) expireDueOrders(rt, business);
    });
}

/** Expires overdue orders. Run it before counting tickets: the scheduler may be late. */
export function expireDueOrders(rt: Runtime, business: BusinessRow): void {
  const due = rt.openStore(createOrderStore).listOverdue(business.id, rt.now());
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
  cancelReason: string | null = null,
): TicketOrder {
  const ended = {
    ...nextVersion(rt, rt.openStore(createOrderStore), business.id, order),
    status,
    cancelReason: cancelReason && safe(cancelReason),
  };
  rt.openStore(createOrderStore).update(business.id, ended);
  rt.openStore(createTicketStore).voidByOrder(order.id);
  const publicOrder = toPublicTicketOrder(ended, business.doc.timezone);
  appendEvents(rt, business, [ticketOrderEvent("cancelled", publicOrder)], order.createdByKey);
  return ended;
}
