import { columns, type Db } from "../../store/database/db.ts";
import { GUEST_COLUMNS, type GuestRow, VISIT_TABLES } from "../../store/sealed.ts";

export function createGuestSearchStore(db: Db) {
  const selectOfBusiness = db.prepare(
    `SELECT ${columns(GUEST_COLUMNS)} FROM guest WHERE business_id = ? ORDER BY visit_id`,
  );
  const selectByReference = db
    .prepare(
      VISIT_TABLES.map(
        (table) =>
          `SELECT id FROM ${table} WHERE business_id = :businessId AND customer_ref = :customerRef`,
      ).join(" UNION ALL "),
    )
    .pluck();

  return {
    iterate: (businessId: string) =>
      selectOfBusiness.iterate(businessId) as IterableIterator<GuestRow>,
    /** Returns the IDs of the visits and orders with this customer reference. */
    listByReference: (businessId: string, customerRef: string) =>
      selectByReference.all({ businessId, customerRef }) as string[],
  };
}
