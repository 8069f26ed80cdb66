import { emptyObjects, type PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import { saleAvailabilities } from "../../../domain/public/public-event.ts";
import { deepEqual } from "../../../domain/equality.ts";
import { safe } from "../../../domain/text.ts";
import { type TicketOrder, toPublicTicketOrder, ticketOrderEvent } from "../rules.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { nextVersion } from "../../../app/bookings/change-visit.ts";
import { readTakenTickets, toStoredCatalog } from "../../../app/catalog/load-catalog.ts";
import { publishChange } from "../../../app/catalog/publish.ts";
import { appendEvents } from "../../../app/events.ts";
import { tellOfOrder } from "./tell-guest.ts";
import { createOrderStore, createTicketCodeStore, createTicketStore } from "../store.ts";

/**
 * Runs `write`, in which orders take or release tickets. Most sales change only a count, which is
 * published later. A changed sale state is published immediately.
 */
export function changeTakenTickets(
  rt: Runtime,
  business: BusinessRow,
  orders: readonly TicketOrder[],
  action: "take" | "release",
  write: () => void,
): void {
  const changes = listAvailabilityChanges(rt, business, orders, action);
  const writeAndMark = () => {
    write();
    for (const { eventId } of changes)
      rt.store.eventAvailability.markChanged(business.id, eventId, rt.now());
  };
  if (!changes.some(({ changesState }) => changesState)) return writeAndMark();
  publishChange(rt, business.id, writeAndMark, {
    lists: ["events"],
    load: createEventLoader(
      rt,
      changes.map(({ event }) => event),
    ),
  });
}

/** Returns a function that loads what partners see of public events. */
function createEventLoader(
  rt: Runtime,
  events: PublicEventDoc[],
): (business: BusinessRow) => StoredCatalog {
  const objects = { ...emptyObjects(), public_event: events };
  return (business) => ({
    ...toStoredCatalog(rt, business, objects, {
      // Sold-out marks are about dishes and options, not about events.
      soldOut: new Map(),
      taken: readTakenTickets(rt, business.id),
    }),
    // `others` has the next transition of the objects that are not loaded here. The stored time is
    // the next transition of all objects. It can be used here, because sales do not change it.
    others: { nextTransitionAt: business.nextTransitionAt },
  });
}

/**
 * Returns the events whose public availability will change. `changesState` says whether a sale
 * state, such as sold out, changes, too. Call it before orders are written.
 */
function listAvailabilityChanges(
  rt: Runtime,
  { id, slug }: BusinessRow,
  orders: readonly TicketOrder[],
  action: "take" | "release",
): { eventId: string; event: PublicEventDoc; changesState: boolean }[] {
  const sign = action === "take" ? 1 : -1;
  const takenChanges = new Map<string, number>();
  for (const { ticketTypeId, quantity } of orders.flatMap(({ items }) => items))
    takenChanges.set(ticketTypeId, (takenChanges.get(ticketTypeId) ?? 0) + sign * quantity);
  const now = rt.now();
  const before = (typeId: string) => rt.store.takenTickets.countOf(id, typeId);
  const after = (typeId: string) => before(typeId) + (takenChanges.get(typeId) ?? 0);
  const availabilitiesWith = (event: PublicEventDoc, taken: (typeId: string) => number) =>
    saleAvailabilities(event, { slug, now, taken });
  return [...new Set(orders.map(({ eventId }) => eventId))].flatMap((eventId) => {
    const event = rt.store.catalog.findByKeyOrId(id, "public_event", eventId);
    if (event === undefined) return [];
    const [from, to] = [availabilitiesWith(event, before), availabilitiesWith(event, after)];
    if (deepEqual(from, to)) return [];
    return [{ eventId, event, changesState: from.some(({ state }, i) => state !== to[i]?.state) }];
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
  changeTakenTickets(rt, business, due, "release", () => {
    for (const order of due) endTicketOrder(rt, business, order, "EXPIRED");
  });
}

/**
 * Ends an order: voids its tickets and tells its guest. The event of an expired order is
 * `cancelled`, too. Call this function in the callback of `changeTakenTickets`.
 */
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
  rt.openStore(createTicketCodeStore).deleteByOrder(order.id);
  const publicOrder = toPublicTicketOrder(ended, business.doc.timezone);
  appendEvents(rt, business, [ticketOrderEvent("cancelled", publicOrder)], order.createdByKey);
  tellOfOrder(rt, business, ended, status === "EXPIRED" ? "expired" : "cancelled");
  return ended;
}
