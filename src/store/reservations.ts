import type { Reservation } from "../domain/bookings/reservation.ts";
import type { VisitFilter } from "./bookings.ts";
import type { Db } from "./db.ts";

const COLUMNS = `id, status, party_size AS partySize, starts_at AS startsAt, ends_at AS endsAt, area_id AS areaId,
  table_id AS tableId, customer_ref AS customerRef, created_at AS createdAt, updated_at AS updatedAt`;

export function createReservationStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO reservation (id, business_id, status, party_size, starts_at, ends_at, area_id, table_id, customer_ref,
      created_at, updated_at)
    VALUES (:id, :businessId, :status, :partySize, :startsAt, :endsAt, :areaId, :tableId, :customerRef, :createdAt,
      :updatedAt)`);
  const cancel = db.prepare(
    "UPDATE reservation SET status = 'CANCELLED', updated_at = :now WHERE id = :id",
  );
  const selectById = db.prepare(
    `SELECT ${COLUMNS} FROM reservation WHERE business_id = :businessId AND id = :id`,
  );
  const list = db.prepare(`
    SELECT ${COLUMNS} FROM reservation
    WHERE business_id = :businessId AND (:status IS NULL OR status = :status) AND (:before IS NULL OR id < :before)
    ORDER BY id DESC LIMIT :limit`);
  const selectBusy = db.prepare(`
    SELECT ${COLUMNS} FROM reservation
    WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :from AND ends_at <= :until AND starts_at < :to`);

  return {
    insert: (businessId: string, reservation: Reservation): void =>
      void insert.run({ ...reservation, businessId }),
    cancel: (id: string, now: number): void => void cancel.run({ id, now }),
    findById: (businessId: string, id: string): Reservation | undefined =>
      selectById.get({ businessId, id }) as Reservation | undefined,
    /** Newest first. */
    list: ({ businessId, status, before }: VisitFilter, limit: number): Reservation[] =>
      list.all({
        businessId,
        status: status ?? null,
        before: before ?? null,
        limit,
      }) as Reservation[],
    /** Active reservations that overlap the span and end by `until`. */
    listBusy: (businessId: string, from: number, to: number, until = Infinity): Reservation[] =>
      selectBusy.all({ businessId, from, to, until }) as Reservation[],
  };
}
