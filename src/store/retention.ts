import type { Db } from "./db.ts";
import type { DeliveryStatus } from "../domain/webhooks/settle.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

/** Deliveries created before these can be deleted. */
export type Cutoffs = { ended: number; unresolved: number };

export function createRetentionStore(db: Db) {
  const tallies = createTallyStore(db);

  const eventsAfter = db
    .prepare(`
      SELECT rowid, id FROM event WHERE rowid > :after AND created_at < :createdBefore
      ORDER BY rowid LIMIT :limit`)
    .raw();
  const deleteDeliveries = db
    .prepare(`
      DELETE FROM delivery
      WHERE event_id = :eventId AND (status IN ('DELIVERED', 'CANCELLED') AND created_at < :ended
        OR status IN ('EXHAUSTED', 'PARKED', 'CORRUPT') AND created_at < :unresolved)
      RETURNING business_id, status`)
    .raw();
  const deleteEvent = db.prepare(`
    DELETE FROM event WHERE id = :eventId AND NOT EXISTS (SELECT 1 FROM delivery WHERE event_id = :eventId)`);
  const attemptsAfter = db
    .prepare(`
      SELECT number, response_text IS NOT NULL FROM attempt
      WHERE number > :after AND at < :madeBefore ORDER BY number LIMIT :limit`)
    .raw();
  const clearText = db.prepare("UPDATE attempt SET response_text = NULL WHERE number = ?");

  return {
    /**
     * Deletes old deliveries of the next events. An event is deleted with its last delivery.
     * @returns the number to continue after, or undefined at the end
     */
    pruneEvents(after: number, limit: number, { ended, unresolved }: Cutoffs): number | undefined {
      const batch = eventsAfter.all({ after, limit, createdBefore: ended }) as [number, string][];
      const tallyChanges = createTallyChanges();
      for (const [, eventId] of batch) {
        const deleted = deleteDeliveries.all({ eventId, ended, unresolved });
        for (const [businessId, status] of deleted as [string, DeliveryStatus][])
          tallyChanges.add(businessId, status, -1);
        deleteEvent.run({ eventId });
      }
      tallyChanges.write(tallies);
      return batch.at(-1)?.[0];
    },

    /** @returns like `pruneEvents` */
    pruneResponses(after: number, limit: number, madeBefore: number): number | undefined {
      const batch = attemptsAfter.all({ after, limit, madeBefore }) as [number, 0 | 1][];
      for (const [number, hasText] of batch) if (hasText) clearText.run(number);
      return batch.at(-1)?.[0];
    },
  };
}
