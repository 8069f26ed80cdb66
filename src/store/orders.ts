import type { TicketOrder } from "../domain/bookings/ticket-order.ts";
import type { Db } from "./db.ts";

export type OrderFilter = {
  businessId: string;
  status?: TicketOrder["status"] | undefined;
  eventId?: string | undefined;
  /** An ID: only older ones. */
  before?: string | undefined;
};

const COLUMNS = `id, code, status, event_id AS eventId, total_cents AS totalCents, currency, customer_ref AS customerRef,
  expires_at AS expiresAt, created_at AS createdAt, updated_at AS updatedAt`;

export function createOrderStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO ticket_order (id, business_id, code, status, event_id, total_cents, currency, customer_ref, expires_at,
      created_at, updated_at)
    VALUES (:id, :businessId, :code, :status, :eventId, :totalCents, :currency, :customerRef, :expiresAt, :createdAt,
      :updatedAt)`);
  const insertItem = db.prepare(`
    INSERT INTO ticket_order_item (order_id, ticket_type_id, quantity, unit_price_cents)
    VALUES (:orderId, :ticketTypeId, :quantity, :unitPriceCents)`);
  const hold = db.prepare(`
    INSERT INTO ticket_hold (business_id, ticket_type_id, taken) VALUES (:businessId, :ticketTypeId, :quantity)
    ON CONFLICT DO UPDATE SET taken = taken + excluded.taken`);
  const release = db.prepare(`
    UPDATE ticket_hold SET taken = taken - item.quantity FROM ticket_order_item item
    WHERE item.order_id = :id AND ticket_hold.business_id = :businessId
      AND ticket_hold.ticket_type_id = item.ticket_type_id`);
  const setStatus = db.prepare(
    "UPDATE ticket_order SET status = :status, updated_at = :now WHERE id = :id",
  );
  const selectHeldTickets = db.prepare(
    "SELECT ticket_type_id AS id, taken FROM ticket_hold WHERE business_id = ?",
  );
  const selectByIdOrCode = db.prepare(`
    SELECT ${COLUMNS} FROM ticket_order WHERE business_id = :businessId AND (id = :idOrCode OR code = :code)`);
  const items = db.prepare(`
    SELECT ticket_type_id AS ticketTypeId, quantity, unit_price_cents AS unitPriceCents
    FROM ticket_order_item WHERE order_id = ?`);
  const list = db.prepare(`
    SELECT ${COLUMNS} FROM ticket_order
    WHERE business_id = :businessId AND (:status IS NULL OR status = :status)
      AND (:eventId IS NULL OR event_id = :eventId) AND (:before IS NULL OR id < :before)
    ORDER BY id DESC LIMIT :limit`);
  const selectOverdue = db.prepare(`
    SELECT ${COLUMNS} FROM ticket_order
    WHERE status = 'PENDING' AND expires_at <= :now AND business_id = :businessId ORDER BY expires_at, id`);
  const selectBusinessesWithOverdue = db
    .prepare(
      "SELECT DISTINCT business_id FROM ticket_order WHERE status = 'PENDING' AND expires_at <= ?",
    )
    .pluck();

  const withItems = (row: unknown): TicketOrder => {
    const order = row as Omit<TicketOrder, "items">;
    return { ...order, items: items.all(order.id) as TicketOrder["items"] };
  };

  return {
    /** The order holds its tickets from now on. */
    insert(businessId: string, { items, ...order }: TicketOrder): void {
      insert.run({ ...order, businessId });
      for (const item of items) {
        insertItem.run({ ...item, orderId: order.id });
        hold.run({ businessId, ticketTypeId: item.ticketTypeId, quantity: item.quantity });
      }
    },

    confirm: (id: string, now: number): void =>
      void setStatus.run({ id, status: "CONFIRMED", now }),

    /** Ends a pending or confirmed order and releases its tickets. */
    end(businessId: string, id: string, status: "CANCELLED" | "EXPIRED", now: number): void {
      setStatus.run({ id, status, now });
      release.run({ id, businessId });
    },

    /** Ticket type ID -> number of tickets held by pending and confirmed orders. */
    countHeldTickets: (businessId: string): Map<string, number> =>
      new Map(
        (selectHeldTickets.all(businessId) as { id: string; taken: number }[]).map((row) => [
          row.id,
          row.taken,
        ]),
      ),

    findByIdOrCode(businessId: string, idOrCode: string, code: string): TicketOrder | undefined {
      const row = selectByIdOrCode.get({ businessId, idOrCode, code });
      return row === undefined ? undefined : withItems(row);
    },

    /** Newest first. */
    list: ({ businessId, status, eventId, before }: OrderFilter, limit: number): TicketOrder[] =>
      list
        .all({
          businessId,
          status: status ?? null,
          eventId: eventId ?? null,
          before: before ?? null,
          limit,
        })
        .map(withItems),

    /** Pending orders that have expired, earliest expiry first. */
    listOverdue: (businessId: string, now: number): TicketOrder[] =>
      selectOverdue.all({ businessId, now }).map(withItems),
    listBusinessesWithOverdue: (now: number): string[] =>
      selectBusinessesWithOverdue.all(now) as string[],
  };
}
