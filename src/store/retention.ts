import type { Db } from "./db.ts";
import type { DeliveryStatus } from "../domain/webhooks/delivery-status.ts";
import { createTallyChanges, createTallyStore } from "./tallies.ts";

/** Whatever is created before these instants may go. */
export type Cutoffs = { ended: number; unresolved: number };

/** Forgets, a slice at a time. Each slice is a short transaction's worth. */
export function createRetentionStore(db: Db) {
  const tallies = createTallyStore(db);

  const eventsAfter = db.prepare(`
    SELECT rowid AS number, id FROM event WHERE rowid > :after AND created_at < :createdBefore ORDER BY rowid LIMIT :limit`);
  const removeDeliveries = db.prepare(`
    DELETE FROM delivery
    WHERE event_id = :eventId AND (status IN ('DELIVERED', 'CANCELLED') AND created_at < :ended
      OR status IN ('EXHAUSTED', 'PARKED', 'CORRUPT') AND created_at < :unresolved)
    RETURNING business_id AS businessId, status`);
  const removeEvent = db.prepare(`
    DELETE FROM event WHERE id = :eventId AND NOT EXISTS (SELECT 1 FROM delivery WHERE event_id = :eventId)`);
  const attemptsAfter = db.prepare(`
    SELECT number, response_text IS NOT NULL AS hasText FROM attempt
    WHERE number > :after AND at < :madeBefore ORDER BY number LIMIT :limit`);
  const removeText = db.prepare("UPDATE attempt SET response_text = NULL WHERE number = ?");

  return {
    /**
     * Looks at the next events and removes what of them and of their deliveries is old enough. An event goes with its last
     * delivery.
     * @returns the number to go on after, or undefined when there was no more
     */
    pruneEvents(after: number, limit: number, { ended, unresolved }: Cutoffs): number | undefined {
      const slice = eventsAfter.all({ after, limit, createdBefore: ended }) as {
        number: number;
        id: string;
      }[];
      const sheet = createTallyChanges();
      for (const { id: eventId } of slice) {
        const removed = removeDeliveries.all({ eventId, ended, unresolved });
        for (const { businessId, status } of removed as {
          businessId: string;
          status: DeliveryStatus;
        }[])
          sheet.add(businessId, status, -1);
        removeEvent.run({ eventId });
      }
      sheet.write(tallies);
      return slice.at(-1)?.number;
    },

    /** Forgets what receivers answered. @returns as `pruneEvents` */
    pruneResponses(after: number, limit: number, madeBefore: number): number | undefined {
      const slice = attemptsAfter.all({ after, limit, madeBefore }) as {
        number: number;
        hasText: 0 | 1;
      }[];
      for (const { number, hasText } of slice) if (hasText) removeText.run(number);
      return slice.at(-1)?.number;
    },
  };
}
