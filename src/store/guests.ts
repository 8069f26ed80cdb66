import { columns, insertInto, type Db } from "./db.ts";

/** The encrypted guest data of a booking, reservation or ticket order. */
export type GuestRow = { visitId: string; businessId: string; sealed: Buffer };

const COLUMNS = "visit_id, business_id, sealed";

export function createGuestStore(db: Db) {
  const replace = db.prepare(insertInto("guest", COLUMNS).replace("INSERT", "INSERT OR REPLACE"));
  const find = db.prepare(`SELECT ${columns(COLUMNS)} FROM guest WHERE visit_id = ?`);
  const deleteById = db.prepare("DELETE FROM guest WHERE visit_id = ?");

  return {
    replace: (row: GuestRow) => void replace.run(row),
    findByVisit: (visitId: string) => find.get(visitId) as GuestRow | undefined,
    delete: (visitId: string) => void deleteById.run(visitId),
  };
}
