import { columns, type Db } from "./db.ts";

/** Between two events about the tickets left of one public event. */
const INTERVAL_MS = 10_000;

export type DueAvailability = { businessId: string; eventId: string };

export function createEventAvailabilityStore(db: Db) {
  const markChanged = db.prepare(`
    INSERT INTO event_availability (event_id, business_id, due_at) VALUES (:eventId, :businessId, :now)
    ON CONFLICT DO UPDATE SET due_at = coalesce(due_at, max(:now, min(sent_at, :now) + ${INTERVAL_MS}))`);
  // A due time that is further away was set before the clock was set back.
  const selectDue = db.prepare(`
    SELECT ${columns("business_id, event_id")} FROM event_availability
    WHERE due_at IS NOT NULL AND (due_at <= :now OR due_at > :now + ${INTERVAL_MS})
    ORDER BY business_id, due_at`);
  const markSent = db.prepare(
    "UPDATE event_availability SET due_at = NULL, sent_at = :now WHERE event_id = :eventId",
  );
  const deleteSent = db.prepare(
    `DELETE FROM event_availability WHERE due_at IS NULL AND sent_at <= :now - ${INTERVAL_MS}`,
  );

  return {
    /** The change becomes due now, or ten seconds after the last one that was sent. */
    markChanged: (businessId: string, eventId: string, now: number) =>
      void markChanged.run({ businessId, eventId, now }),
    listDue: (now: number) => selectDue.all({ now }) as DueAvailability[],
    markSent: (eventId: string, now: number) => void markSent.run({ eventId, now }),
    /** Deletes the rows that no longer delay the next change, such as those of deleted events. */
    deleteSent: (now: number) => void deleteSent.run({ now }),
  };
}
