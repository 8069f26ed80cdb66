import { columns, insertInto, type Db } from "./db.ts";

/** The encrypted guest data of a booking, reservation or ticket order. */
export type GuestRow = { visitId: string; businessId: string; sealed: Buffer };

/** `endedAt`: when the visit was, or would have been; 0 if it no longer exists. */
export type EndedGuest = Pick<GuestRow, "visitId" | "businessId"> & { endedAt: number };

export const GUEST_COLUMNS = "visit_id, business_id, sealed";
export const VISIT_TABLES = ["booking", "reservation", "ticket_order"] as const;

export function createGuestStore(db: Db) {
  const replace = db.prepare(
    insertInto("guest", GUEST_COLUMNS).replace("INSERT", "INSERT OR REPLACE"),
  );
  const find = db.prepare(`SELECT ${columns(GUEST_COLUMNS)} FROM guest WHERE visit_id = ?`);
  const deleteById = db.prepare("DELETE FROM guest WHERE visit_id = ?");
  const selectAfter = db.prepare(`
    SELECT ${columns(GUEST_COLUMNS)} FROM guest WHERE visit_id > :after ORDER BY visit_id LIMIT :limit`);
  const selectAll = db.prepare(`SELECT ${columns(GUEST_COLUMNS)} FROM guest`);
  const endOf = (table: string) =>
    `(SELECT iif(status = 'CANCELLED', starts_at, ends_at) FROM ${table} WHERE id = visit_id)`;
  const selectEnded = db.prepare(`
    SELECT ${columns("visit_id, business_id")}, coalesce(${endOf("booking")}, ${endOf("reservation")},
      (SELECT coalesce((SELECT doc ->> 'endsAt' FROM catalog_object WHERE id = event_id), updated_at)
        FROM ticket_order WHERE id = visit_id), 0) AS endedAt
    FROM guest WHERE visit_id > :after ORDER BY visit_id LIMIT :limit`);
  // Raises the version: the reference and the guest data are part of the object. The time is later
  // than that of any other change, also after the clock was set back: the ETags of calendars have it.
  const erasures = VISIT_TABLES.map((table) =>
    db.prepare(`
      UPDATE ${table} SET customer_ref = NULL, version = version + 1, updated_at = max(:now,
        (SELECT 1 + max(updated_at) FROM ${table} other WHERE other.business_id = ${table}.business_id))
      WHERE id = :visitId AND (customer_ref IS NOT NULL
        OR EXISTS (SELECT 1 FROM guest WHERE guest.visit_id = :visitId))`),
  );

  return {
    replace: (row: GuestRow) => void replace.run(row),
    findByVisit: (visitId: string) => find.get(visitId) as GuestRow | undefined,
    delete: (visitId: string) => void deleteById.run(visitId),
    iterateAll: () => selectAll.iterate() as IterableIterator<GuestRow>,
    /** Lists guests in the order of their visits' IDs. */
    listAfter: (after: string, limit: number) => selectAfter.all({ after, limit }) as GuestRow[],
    /** Lists guests with the end of their visits, in the order of the visits' IDs. */
    listEndedAfter: (after: string, limit: number) =>
      selectEnded.all({ after, limit }) as EndedGuest[],
    /** Deletes the guest data and the customer reference of a visit. */
    erase(visitId: string, now: number): void {
      for (const erasure of erasures) erasure.run({ visitId, now });
      deleteById.run(visitId);
    },
  };
}
