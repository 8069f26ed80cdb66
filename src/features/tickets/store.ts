import type { TicketOrder, Ticket } from "./rules.ts";
import {
  columns,
  type Db,
  insertInto,
  LISTED,
  parseOptional,
  prepareNewest,
} from "../../store/database/db.ts";
import { END_OF_EVENT } from "../../store/event-end.ts";
import { createVisitLists, type VisitListFilter } from "../../store/bookings/visit-lists.ts";
import { selectOwn } from "../../store/bookings/visits.ts";

export type OrderFilter = {
  businessId: string;
  status?: TicketOrder["status"] | undefined;
  eventId?: string | undefined;
  createdByKey?: string | undefined;
  /** Selects orders whose IDs sort before this one. */
  before?: string | undefined;
};

const ORDER = `id, code, status, event_id, total_cents, currency, currency_digits, customer_ref,
  created_by_key, cancel_reason, payment_ref, expires_at, version, created_at, updated_at`;
const ORDER_ITEM = "ticket_type_id, quantity, unit_price_cents";

export function createOrderStore(db: Db) {
  const insert = db.prepare(insertInto("ticket_order", `business_id, keeps_codes, ${ORDER}`));
  const keepsCodes = db.prepare("SELECT keeps_codes FROM ticket_order WHERE id = ?").pluck();
  const selectBusinessSlug = db
    .prepare(`
      SELECT slug FROM business WHERE id = (SELECT business_id FROM ticket_order WHERE id = ?)`)
    .pluck();
  const insertItem = db.prepare(insertInto("ticket_order_item", `order_id, ${ORDER_ITEM}`));
  const take = db.prepare(`
    INSERT INTO ticket_hold (business_id, ticket_type_id, taken) VALUES (:businessId, :ticketTypeId, :quantity)
    ON CONFLICT DO UPDATE SET taken = taken + excluded.taken`);
  const release = db.prepare(`
    UPDATE ticket_hold SET taken = taken - item.quantity FROM ticket_order_item item
    WHERE item.order_id = :id AND ticket_hold.business_id = :businessId
      AND ticket_hold.ticket_type_id = item.ticket_type_id`);
  const update = db.prepare(`
    UPDATE ticket_order SET status = :status, cancel_reason = :cancelReason, payment_ref = :paymentRef,
      version = :version, updated_at = :updatedAt
    WHERE id = :id`);
  const lists = createVisitLists(db, {
    table: "ticket_order",
    names: ORDER,
    order: "id",
    indexes: {
      all: "ticket_order_business",
      status: "ticket_order_status",
      own: "ticket_order_own",
    },
  });
  const countPending = db
    .prepare(`
      SELECT count(*) FROM ticket_order
      WHERE created_by_key = :keyId AND status = 'PENDING' AND expires_at > :now`)
    .pluck();
  const selectPendingTickets = db
    .prepare(`
      SELECT ticket_type_id, sum(quantity) FROM ticket_order, ticket_order_item
      WHERE order_id = id AND created_by_key = :keyId AND status = 'PENDING' AND expires_at > :now
      GROUP BY ticket_type_id`)
    .raw();
  const selectByIdOrCode = db.prepare(
    selectOwn("ticket_order", ORDER, "(id = :idOrCode OR code = :code)"),
  );
  const selectItems = db.prepare(`
    SELECT ${columns(ORDER_ITEM)} FROM ticket_order_item WHERE order_id = ?`);
  const listNewest = prepareNewest(db, "ticket_order", ORDER, [
    "status",
    "event_id",
    "created_by_key",
  ]);
  const selectActiveOf = db.prepare(`
    SELECT id, ${columns("event_id")} FROM ticket_order
    WHERE business_id = :businessId AND (status = 'CONFIRMED' OR status = 'PENDING' AND expires_at > :now)
      AND (event_id IN ${LISTED} OR EXISTS (
        SELECT 1 FROM ticket_order_item WHERE order_id = id AND ticket_type_id IN ${LISTED}))
    ORDER BY id`);
  const selectOverdue = db.prepare(`
    SELECT ${columns(ORDER)} FROM ticket_order
    WHERE status = 'PENDING' AND expires_at <= :now AND business_id = :businessId ORDER BY expires_at, id`);
  const selectBusinessesWithOverdue = db
    .prepare(
      "SELECT DISTINCT business_id FROM ticket_order WHERE status = 'PENDING' AND expires_at <= ?",
    )
    .pluck();

  const withItems = (row: unknown): TicketOrder => {
    const order = row as Omit<TicketOrder, "items">;
    return { ...order, items: selectItems.all(order.id) as TicketOrder["items"] };
  };

  /**
   * @param code the normalized code; "" to find an order by its ID only
   * @param createdByKey the ID of the key that must have created the order; null for any key
   */
  const findByIdOrCode = (
    businessId: string,
    idOrCode: string,
    code: string,
    createdByKey: string | null = null,
  ) => parseOptional(selectByIdOrCode.get({ businessId, idOrCode, code, createdByKey }), withItems);

  return {
    /**
     * Inserts an order, and takes its tickets from those on sale.
     * @param keeps whether the admission codes of its tickets are kept until the event ends
     */
    insert(businessId: string, { items, ...order }: TicketOrder, keeps = false): void {
      insert.run({ ...order, businessId, keepsCodes: keeps ? 1 : 0 });
      for (const item of items) {
        insertItem.run({ ...item, orderId: order.id });
        take.run({ businessId, ticketTypeId: item.ticketTypeId, quantity: item.quantity });
      }
    },

    keepsCodes: (id: string) => keepsCodes.get(id) === 1,
    findBusinessSlug: (id: string) => selectBusinessSlug.get(id) as string | undefined,
    getLastChange: lists.getLastChange,
    listPage: (filter: VisitListFilter, limit: number) =>
      lists.listPage(filter, limit).map(withItems),

    /** Updates an order. A cancelled or expired one releases its tickets. */
    update(businessId: string, order: TicketOrder): void {
      update.run(order);
      if (order.status === "CANCELLED" || order.status === "EXPIRED")
        release.run({ id: order.id, businessId });
    },

    /** Returns the number of pending orders that a key created. */
    countPending: (keyId: string, now: number) => countPending.get({ keyId, now }) as number,
    /** Returns how many tickets the pending orders of a key hold, by ticket type. */
    countPendingTickets: (keyId: string, now: number) =>
      new Map(selectPendingTickets.all({ keyId, now }) as [string, number][]),

    findByIdOrCode,
    findById: (businessId: string, id: string) => findByIdOrCode(businessId, id, ""),

    list: (filter: OrderFilter, limit: number) => listNewest(filter, limit).map(withItems),

    /**
     * Lists the confirmed and the unexpired pending orders for the public events or ticket types
     * with these IDs.
     */
    listActiveOf: (businessId: string, now: number, ids: readonly string[]) =>
      selectActiveOf.all({ businessId, now, ids: JSON.stringify(ids) }) as Pick<
        TicketOrder,
        "id" | "eventId"
      >[],

    /** Lists the pending orders whose `expiresAt` has passed, the earliest first. */
    listOverdue: (businessId: string, now: number) =>
      selectOverdue.all({ businessId, now }).map(withItems),
    listBusinessesWithOverdue: (now: number) => selectBusinessesWithOverdue.all(now) as string[],
  };
}

export type TicketFilter = {
  businessId: string;
  status?: Ticket["status"] | undefined;
  eventId?: string | undefined;
  orderId?: string | undefined;
  /** Selects tickets whose IDs sort before this one. */
  before?: string | undefined;
};

const TICKET = "id, order_id, event_id, ticket_type_id, status, checked_in_at, version, created_at";

export function createTicketStore(db: Db) {
  const insert = db.prepare(insertInto("ticket", `business_id, admission_hash, ${TICKET}`));
  const selectByIdOrAdmission = db.prepare(`
    SELECT ${columns(TICKET)} FROM ticket WHERE business_id = :businessId AND (id = :id OR admission_hash = :admissionHash)`);
  const checkIn = db.prepare(
    "UPDATE ticket SET status = 'CHECKED_IN', checked_in_at = :now, version = version + 1 WHERE id = :id",
  );
  const replaceAdmission = db.prepare(
    "UPDATE ticket SET admission_hash = :admissionHash, version = version + 1 WHERE id = :id",
  );
  const voidTickets = db.prepare(
    "UPDATE ticket SET status = 'VOID', version = version + 1 WHERE order_id = ?",
  );
  const listNewest = prepareNewest(db, "ticket", TICKET, ["status", "event_id", "order_id"]);

  return {
    insert: (businessId: string, ticket: Ticket, admissionHash: Buffer) =>
      void insert.run({ ...ticket, businessId, admissionHash }),
    findByIdOrAdmission: (businessId: string, id: string, admissionHash: Buffer) =>
      selectByIdOrAdmission.get({ businessId, id, admissionHash }) as Ticket | undefined,
    /** Replaces an admission code; the old code becomes invalid. */
    replaceAdmission: (id: string, admissionHash: Buffer) =>
      void replaceAdmission.run({ id, admissionHash }),
    checkIn: (id: string, now: number) => void checkIn.run({ id, now }),
    voidByOrder: (orderId: string) => void voidTickets.run(orderId),
    list: (filter: TicketFilter, limit: number) => listNewest(filter, limit) as Ticket[],
  };
}

/** The admission code of a ticket, encrypted with the master key. */
export type TicketCodeRow = { ticketId: string; orderId: string; sealed: Buffer };

const CODE = "ticket_id, order_id, sealed";

export function createTicketCodeStore(db: Db) {
  const replace = db.prepare(
    insertInto("ticket_code", CODE).replace("INSERT", "INSERT OR REPLACE"),
  );
  const selectByOrder = db.prepare(`SELECT ${columns(CODE)} FROM ticket_code WHERE order_id = ?`);
  const selectAll = db.prepare(`SELECT ${columns(CODE)} FROM ticket_code`);
  const deleteByOrder = db.prepare("DELETE FROM ticket_code WHERE order_id = ?");
  const deleteEnded = db.prepare(`
    DELETE FROM ticket_code WHERE coalesce((
      SELECT ${END_OF_EVENT} FROM catalog_object, ticket
      WHERE ticket.id = ticket_id AND catalog_object.id = event_id), 0) <= ?`);

  return {
    replace: (row: TicketCodeRow) => void replace.run(row),
    listByOrder: (orderId: string) => selectByOrder.all(orderId) as TicketCodeRow[],
    list: () => selectAll.all() as TicketCodeRow[],
    deleteByOrder: (orderId: string) => void deleteByOrder.run(orderId),
    /** Deletes the codes for events that have ended or are gone. */
    deleteEnded: (now: number) => void deleteEnded.run(now),
  };
}
