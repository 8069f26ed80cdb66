import type { Ticket } from "../domain/bookings/ticket-order.ts";
import type { Db } from "./db.ts";

export type TicketFilter = {
  businessId: string;
  status?: Ticket["status"] | undefined;
  eventId?: string | undefined;
  orderId?: string | undefined;
  /** An ID: only older ones. */
  before?: string | undefined;
};

const COLUMNS = `id, order_id AS orderId, event_id AS eventId, ticket_type_id AS ticketTypeId, status,
  checked_in_at AS checkedInAt, created_at AS createdAt`;

export function createTicketStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO ticket (id, business_id, order_id, event_id, ticket_type_id, status, admission_hash, checked_in_at, created_at)
    VALUES (:id, :businessId, :orderId, :eventId, :ticketTypeId, :status, :admissionHash, :checkedInAt, :createdAt)`);
  const selectByIdOrAdmission = db.prepare(`
    SELECT ${COLUMNS} FROM ticket WHERE business_id = :businessId AND (id = :id OR admission_hash = :admissionHash)`);
  const checkIn = db.prepare(
    "UPDATE ticket SET status = 'CHECKED_IN', checked_in_at = :now WHERE id = :id",
  );
  const voidTickets = db.prepare("UPDATE ticket SET status = 'VOID' WHERE order_id = ?");
  const list = db.prepare(`
    SELECT ${COLUMNS} FROM ticket
    WHERE business_id = :businessId AND (:status IS NULL OR status = :status) AND (:eventId IS NULL OR event_id = :eventId)
      AND (:orderId IS NULL OR order_id = :orderId) AND (:before IS NULL OR id < :before)
    ORDER BY id DESC LIMIT :limit`);

  return {
    insert: (businessId: string, ticket: Ticket, admissionHash: Buffer): void =>
      void insert.run({ ...ticket, businessId, admissionHash }),
    /** By ID or by the hash of its admission code. */
    findByIdOrAdmission: (
      businessId: string,
      id: string,
      admissionHash: Buffer,
    ): Ticket | undefined =>
      selectByIdOrAdmission.get({ businessId, id, admissionHash }) as Ticket | undefined,
    checkIn: (id: string, now: number): void => void checkIn.run({ id, now }),
    voidByOrder: (orderId: string): void => void voidTickets.run(orderId),
    /** Newest first. */
    list: (
      { businessId, status, eventId, orderId, before }: TicketFilter,
      limit: number,
    ): Ticket[] =>
      list.all({
        businessId,
        status: status ?? null,
        eventId: eventId ?? null,
        orderId: orderId ?? null,
        before: before ?? null,
        limit,
      }) as Ticket[],
  };
}
