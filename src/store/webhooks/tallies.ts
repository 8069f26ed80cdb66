import type { Db } from "../database/db.ts";
import type { DeliveryStatus } from "../../domain/webhooks/settle.ts";

const MINUTE_MS = 60_000;

export type MinuteRow = { minute: number; delivered: number; failed: number };

/**
 * Counts deliveries by status, and attempts by minute and result. Code that changes a delivery's
 * status updates these counts in the same transaction.
 */
export function createTallyStore(db: Db) {
  const add = db.prepare(`
    INSERT INTO delivery_count (business_id, status, count) VALUES (:businessId, :status, :count)
    ON CONFLICT (business_id, status) DO UPDATE SET count = count + excluded.count`);
  const selectCounts = db
    .prepare(
      "SELECT status, sum(count) FROM delivery_count WHERE :businessId IS NULL OR business_id = :businessId GROUP BY status",
    )
    .raw();
  const addAttempts = db.prepare(`
    INSERT INTO delivery_minute (business_id, minute, delivered, failed) VALUES (:businessId, :minute, :delivered, :failed)
    ON CONFLICT (business_id, minute) DO UPDATE SET delivered = delivered + excluded.delivered, failed = failed + excluded.failed`);
  const selectMinutes = db.prepare(`
    SELECT minute, sum(delivered) AS delivered, sum(failed) AS failed FROM delivery_minute
    WHERE (:businessId IS NULL OR business_id = :businessId) AND minute >= :since GROUP BY minute ORDER BY minute`);
  // The index begins with the business, so naming every business spares a scan of the table.
  const deleteOldMinutes = db.prepare(
    "DELETE FROM delivery_minute WHERE business_id IN (SELECT id FROM business) AND minute < :before",
  );

  return {
    add(businessId: string, status: DeliveryStatus, count: number): void {
      if (count !== 0) add.run({ businessId, status, count });
    },
    countByStatus: (businessId?: string): Partial<Record<DeliveryStatus, number>> =>
      Object.fromEntries(selectCounts.all({ businessId }) as [string, number][]),
    addAttempts: (businessId: string, at: number, delivered: number, failed: number) =>
      void addAttempts.run({ businessId, minute: Math.floor(at / MINUTE_MS), delivered, failed }),
    /** Lists the counts from the minute of `since` on; minutes without an attempt are omitted. */
    listMinutes: (since: number, businessId?: string) =>
      selectMinutes.all({ since: Math.floor(since / MINUTE_MS), businessId }) as MinuteRow[],
    deleteMinutesBefore: (before: number) =>
      void deleteOldMinutes.run({ before: Math.floor(before / MINUTE_MS) }),
  };
}

/** Adds up the changes of one transaction, so that each count is written only once. */
export function createTallyChanges() {
  const changes = new Map<string, Map<DeliveryStatus, number>>();
  const add = (businessId: string, status: DeliveryStatus, count: number): void => {
    const ofBusiness = changes.getOrInsertComputed(businessId, () => new Map());
    ofBusiness.set(status, (ofBusiness.get(status) ?? 0) + count);
  };
  return {
    add,
    move(businessId: string, from: DeliveryStatus, to: DeliveryStatus): void {
      if (from === to) return;
      add(businessId, from, -1);
      add(businessId, to, 1);
    },
    write(tallies: ReturnType<typeof createTallyStore>): void {
      for (const [businessId, ofBusiness] of changes)
        for (const [status, count] of ofBusiness) tallies.add(businessId, status, count);
    },
  };
}
