import type { Db } from "./db.ts";

export function createSoldOutStore(db: Db) {
  const selectAll = db.prepare("SELECT object_id, until FROM sold_out WHERE business_id = ?").raw();
  const upsertRow = db.prepare(`
    INSERT INTO sold_out (business_id, object_id, until) VALUES (:businessId, :objectId, :until)
    ON CONFLICT DO UPDATE SET until = excluded.until`);
  const deleteRow = db.prepare(
    "DELETE FROM sold_out WHERE business_id = :businessId AND object_id = :objectId",
  );
  const deletePassed = db.prepare(
    "DELETE FROM sold_out WHERE business_id = :businessId AND until <= :now",
  );

  return {
    /** ID of a dish or option -> epoch ms until which it is sold out; null: no end. */
    list: (businessId: string) => new Map(selectAll.all(businessId) as [string, number | null][]),
    upsert: (businessId: string, objectId: string, until: number | null) =>
      void upsertRow.run({ businessId, objectId, until }),
    delete: (businessId: string, objectId: string) => void deleteRow.run({ businessId, objectId }),
    deleteExpired: (businessId: string, now: number) => void deletePassed.run({ businessId, now }),
  };
}
