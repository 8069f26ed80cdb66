import type { Db } from "./db.ts";

export function createTakenTicketStore(db: Db) {
  const selectAll = db
    .prepare("SELECT ticket_type_id, taken FROM ticket_hold WHERE business_id = ?")
    .raw();

  return {
    /** Counts the tickets in pending and confirmed orders, by ticket type. */
    count: (businessId: string) => new Map(selectAll.all(businessId) as [string, number][]),
  };
}
