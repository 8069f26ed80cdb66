import { columns, type Db } from "./database/db.ts";
import { assertInstant, assertOnlyRow } from "./database/storage-error.ts";
import type { DeliveryStatus } from "../domain/webhooks/settle.ts";
import { createTallyChanges, createTallyStore } from "./webhooks/tallies.ts";

type HistoryRow = {
  /** The estimated size of all events, deliveries, attempts and catalog changes. */
  bytes: number;
  /** Epoch ms of the newest event that was deleted early because of the size. */
  cutUntil: number | null;
  /**
   * How many days history is kept, as set for the daemon that was started last; null if no daemon
   * was started. `maxBytes` is a setting of that daemon, too.
   */
  keepDays: number | null;
  maxBytes: number | null;
  /**
   * The time (epoch ms) of the clock by which old data are deleted (`createRetentionClock`), as
   * last stored; null before the first deletion.
   */
  retentionAt: number | null;
  /**
   * How long (ms) the daemon has run while the wall clock was days ahead of the clock of
   * `retentionAt`.
   */
  clockAheadMs: number;
};

export function createHistoryStore(db: Db) {
  const select = db.prepare(
    `SELECT ${columns("bytes, cut_until, keep_days, max_bytes, retention_at, clock_ahead_ms")} FROM history`,
  );
  const selectOldest = db.prepare("SELECT created_at FROM event ORDER BY rowid LIMIT 1").pluck();
  const updateBudget = db.prepare(
    "UPDATE history SET keep_days = :keepDays, max_bytes = :maxBytes",
  );
  const updateCutUntil = db.prepare("UPDATE history SET cut_until = ?");
  const updateRetentionClock = db.prepare(
    "UPDATE history SET retention_at = ?, clock_ahead_ms = ?",
  );

  return {
    get(): HistoryRow {
      const row = assertOnlyRow(db, "history", select.get() as HistoryRow | undefined);
      return {
        ...row,
        cutUntil: assertInstant(row.cutUntil, "history.cut_until"),
        retentionAt: assertInstant(row.retentionAt, "history.retention_at"),
      };
    },
    /** Returns when the oldest event was created; null if there is none. */
    getOldestAt: (): number | null => (selectOldest.get() as number | undefined) ?? null,
    saveBudget: (budget: { keepDays: number; maxBytes: number }) => void updateBudget.run(budget),
    saveCutUntil: (at: number) => void updateCutUntil.run(at),
    saveRetentionClock: (at: number, aheadMs: number) => void updateRetentionClock.run(at, aheadMs),
  };
}

/**
 * `next` is the row number to continue after, or undefined at the end. `deletedUntil` is when the
 * newest deleted row was created; 0 if none was deleted.
 */
export type PrunedBatch = { next: number | undefined; deletedUntil: number };

/**
 * The times (epoch ms) before which deliveries may be deleted: `ended` for delivered and cancelled
 * ones, `unresolved` for exhausted, parked and corrupt ones.
 */
export type Cutoffs = { ended: number; unresolved: number };

export function createRetentionStore(db: Db) {
  const tallies = createTallyStore(db);

  const eventsAfter = db
    .prepare(`
      SELECT rowid, id, created_at FROM event WHERE rowid > :after ORDER BY rowid LIMIT :limit`)
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
      SELECT number, at, response_text IS NOT NULL FROM attempt
      WHERE number > :after ORDER BY number LIMIT :limit`)
    .raw();
  const endpointsAfter = db
    .prepare("SELECT rowid FROM endpoint WHERE rowid > :after ORDER BY rowid LIMIT :limit")
    .pluck();
  const deleteEndpoints = db.prepare(`
    DELETE FROM endpoint
    WHERE rowid > :after AND rowid <= :last AND deleted_at < :deletedBefore AND backlog_move IS NULL
      AND NOT EXISTS (SELECT 1 FROM delivery WHERE endpoint_id = endpoint.id)`);
  const clearText = db.prepare("UPDATE attempt SET response_text = NULL WHERE number = ?");

  return {
    /**
     * Deletes the old deliveries of the next events. An event is deleted together with its last
     * delivery. Events are stored in order of time, so a batch that contains no old event is the
     * last one.
     */
    pruneEvents(after: number, limit: number, { ended, unresolved }: Cutoffs): PrunedBatch {
      const rows = eventsAfter.all({ after, limit }) as [number, string, number][];
      const old = rows.filter(([, , createdAt]) => createdAt < ended);
      const tallyChanges = createTallyChanges();
      let deletedUntil = 0;
      for (const [, eventId, createdAt] of old) {
        const deleted = deleteDeliveries.all({ eventId, ended, unresolved });
        for (const [businessId, status] of deleted as [string, DeliveryStatus][])
          tallyChanges.add(businessId, status, -1);
        const { changes } = deleteEvent.run({ eventId });
        if (deleted.length + changes > 0) deletedUntil = Math.max(deletedUntil, createdAt);
      }
      tallyChanges.write(tallies);
      return { next: old.at(-1)?.[0], deletedUntil };
    },

    /** Looks at the next attempts, and deletes the response texts of the old ones. */
    pruneResponses(after: number, limit: number, madeBefore: number): PrunedBatch {
      const rows = attemptsAfter.all({ after, limit }) as [number, number, 0 | 1][];
      const old = rows.filter(([, at]) => at < madeBefore);
      for (const [number, , hasText] of old) if (hasText) clearText.run(number);
      return { next: old.at(-1)?.[0], deletedUntil: 0 };
    },

    /**
     * Looks at the next endpoints. Removes each row whose endpoint was deleted before
     * `deletedBefore` and has neither a delivery nor an unfinished move of its backlog.
     */
    pruneEndpoints(after: number, limit: number, deletedBefore: number): PrunedBatch {
      const last = (endpointsAfter.all({ after, limit }) as number[]).at(-1);
      if (last !== undefined) deleteEndpoints.run({ after, last, deletedBefore });
      return { next: last, deletedUntil: 0 };
    },
  };
}
