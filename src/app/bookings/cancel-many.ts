import type { TicketOrder } from "../../domain/bookings/ticket-order.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { VisitListFilter } from "../../store/visits.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { OPERATOR } from "./access.ts";
import { changeState, expireDueVisits } from "./change-visit.ts";
import { expireDueOrders } from "./ticket-holds.ts";
import { cancelOrder } from "./change-ticket-order.ts";
import type { VisitKind } from "./visit-kinds.ts";

/** Rows of one cancellation, because all are cancelled in one transaction. */
const MAX_ROWS = 1000;

/** What a key has made since a time (epoch milliseconds). */
export type MadeByKey = { keyId: string; createdSince: number };

/** Visits or ticket orders, of which all that a key has made can be cancelled. */
export type Cancellable<Row> = {
  /** Call it in a transaction: what is overdue can no longer be cancelled. */
  expireDue: (rt: Runtime, business: BusinessRow) => void;
  /** Returns at most a thousand that have not started and are not cancelled. */
  list: (rt: Runtime, businessId: string, made: MadeByKey) => Row[];
  /** Cancels on behalf of the operator. */
  cancel: (rt: Runtime, business: BusinessRow, row: Row, reason: string | null) => Row;
};

/**
 * Cancels what `list` returns, in one transaction.
 * @throws AppError business_not_found
 */
export const cancelMany = <Row>(
  rt: Runtime,
  { expireDue, list, cancel }: Cancellable<Row>,
  slug: string,
  made: MadeByKey,
  reason: string | null,
): Row[] =>
  rt.tx(() => {
    const business = getBusiness(rt, slug);
    expireDue(rt, business);
    return list(rt, business.id, made).map((row) => cancel(rt, business, row, reason));
  });

const filtersOf = (businessId: string, { keyId, createdSince }: MadeByKey) =>
  (["PENDING", "CONFIRMED"] as const).map((status) => ({
    businessId,
    createdByKey: keyId,
    createdSince,
    status,
  }));

/** Visits are listed by start. */
export const cancellableVisits = <Row extends Visit>(kind: VisitKind<Row>): Cancellable<Row> => ({
  expireDue: expireDueVisits,
  list: (rt, businessId, made) =>
    filtersOf(businessId, made)
      .flatMap((filter) => kind.store(rt).listPage({ ...filter, from: rt.now() }, MAX_ROWS))
      .toSorted((a, b) => a.startsAt - b.startsAt)
      .slice(0, MAX_ROWS),
  cancel: (rt, business, row, reason) =>
    changeState(rt, kind, business, OPERATOR, row, "cancel", reason),
});

/** An order with a checked-in ticket cannot be cancelled. */
export const CANCELLABLE_ORDERS: Cancellable<TicketOrder> = {
  expireDue: expireDueOrders,
  list: (rt, businessId, made) =>
    filtersOf(businessId, made)
      .flatMap((filter) => listOrders(rt, filter))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, MAX_ROWS),
  cancel: cancelOrder,
};

/** Reads on until there are enough, because used tickets and past events do not count. */
function listOrders(rt: Runtime, filter: VisitListFilter): TicketOrder[] {
  const { businessId } = filter;
  const found: TicketOrder[] = [];
  let after: VisitListFilter["after"];
  do {
    const page = rt.store.orders.listPage({ ...filter, after }, MAX_ROWS);
    for (const order of page)
      if (isUpcoming(rt, businessId, order) && !isCheckedIn(rt, businessId, order))
        found.push(order);
    const last = page.at(-1);
    after = last && { at: last.createdAt, id: last.id };
  } while (after !== undefined && found.length < MAX_ROWS);
  return found;
}

function isUpcoming(rt: Runtime, businessId: string, { eventId }: TicketOrder): boolean {
  const event = rt.store.catalog.findByKeyOrId(businessId, "public_event", eventId);
  return event === undefined || event.startsAt > rt.now();
}

const isCheckedIn = (rt: Runtime, businessId: string, { id: orderId }: TicketOrder): boolean =>
  rt.store.tickets.list({ businessId, orderId, status: "CHECKED_IN" }, 1).length > 0;
