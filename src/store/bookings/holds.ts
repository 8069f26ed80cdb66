import type { Hold } from "../../domain/bookings/hold.ts";
import { columns, type Db, insertInto, parseOptional } from "../database/db.ts";
import { parseJson } from "../database/storage-error.ts";

const HOLD = `id, key_id, visitor, status, starts_at, ends_at, segments, guests, area_id, table_id, total_cents, currency,
  currency_digits, requires_approval, cancel_until, booking_id, reservation_id, expires_at, created_at`;

type Raw = Omit<Hold, "segments" | "requiresApproval"> & {
  segments: string;
  requiresApproval: 0 | 1;
};

const OPEN = "status = 'OPEN' AND expires_at > :now";
/**
 * Selects the holds that count toward a key's share of used holds. A hold that the key released
 * early (`is_returned`) does not count, and neither does a hold that names a visitor.
 */
const COUNTED = "is_returned = 0 AND visitor IS NULL";

export function createHoldStore(db: Db) {
  const insert = db.prepare(insertInto("hold", `business_id, ${HOLD}`));
  const selectById = db.prepare(
    `SELECT ${columns(HOLD)} FROM hold WHERE business_id = :businessId AND id = :id AND (:keyId IS NULL OR key_id = :keyId)`,
  );
  const end = db.prepare(`
    UPDATE hold SET status = :status, booking_id = :bookingId, reservation_id = :reservationId WHERE id = :id`);
  const release = db.prepare("UPDATE hold SET status = 'RELEASED', is_returned = 1 WHERE id = ?");
  const selectOverlapping = db.prepare(`
    SELECT ${columns(HOLD)} FROM hold
    WHERE business_id = :businessId AND ${OPEN} AND ends_at > :from AND starts_at < :to AND ends_at <= :until`);
  const selectOpenOfKey = db.prepare(`
    SELECT ${columns(HOLD)} FROM hold WHERE business_id = :businessId AND key_id = :keyId AND ${OPEN}`);
  const selectState = db
    .prepare(
      `SELECT count(*) || ' ' || coalesce(max(id), '') FROM hold WHERE business_id = :businessId AND ${OPEN}`,
    )
    .pluck();
  const countSince = db.prepare(`
    SELECT count(*) AS made, count(*) FILTER (WHERE status = 'USED') AS used FROM hold
    WHERE key_id = :keyId AND created_at > :since AND ${COUNTED}`);
  const selectSince = db.prepare(`
    SELECT ${columns("key_id, count(*) AS made")}, count(*) FILTER (WHERE status = 'USED') AS used
    FROM hold WHERE created_at > :since AND ${COUNTED} GROUP BY key_id HAVING made >= :min`);
  const releaseOverdue = db.prepare(`
    UPDATE hold SET status = 'RELEASED' WHERE business_id = :businessId AND status = 'OPEN' AND expires_at <= :now`);
  const releaseOfKey = db.prepare(
    `UPDATE hold SET status = 'RELEASED' WHERE key_id = :keyId AND ${OPEN}`,
  );
  const deleteOld = db.prepare("DELETE FROM hold WHERE expires_at <= ?");

  const parse = (raw: unknown): Hold => {
    const row = raw as Raw;
    return {
      ...row,
      segments: parseJson(row.segments, "hold.segments") as Hold["segments"],
      requiresApproval: row.requiresApproval === 1,
    };
  };

  return {
    insert: (businessId: string, hold: Hold) =>
      void insert.run({
        ...hold,
        businessId,
        segments: JSON.stringify(hold.segments),
        requiresApproval: hold.requiresApproval ? 1 : 0,
      }),
    /** @param keyId the key that must have made the hold; null for any */
    findById: (businessId: string, id: string, keyId: string | null) =>
      parseOptional(selectById.get({ businessId, id, keyId }), parse),
    /** Releases an open hold before it expires. */
    release: (id: string) => void release.run(id),
    /** Releases the holds of a business that have expired. */
    releaseOverdue: (businessId: string, now: number) =>
      void releaseOverdue.run({ businessId, now }),
    /** Releases the open holds of a key. @returns their number */
    releaseOfKey: (keyId: string, now: number): number => releaseOfKey.run({ keyId, now }).changes,
    markUsed: (id: string, by: { bookingId: string } | { reservationId: string }) =>
      void end.run({ id, status: "USED", bookingId: null, reservationId: null, ...by }),
    /** Returns the open holds that overlap the span and end by `until`. */
    listOverlapping: (
      businessId: string,
      now: number,
      from: number,
      to: number,
      until = Infinity,
    ): Hold[] => selectOverlapping.all({ businessId, now, from, to, until }).map(parse),
    listOpenOfKey: (businessId: string, keyId: string, now: number): Hold[] =>
      selectOpenOfKey.all({ businessId, keyId, now }).map(parse),
    /**
     * Returns a text that changes whenever the open holds do. IDs increase, and a hold never opens
     * again: two sets with the same size and newest hold are therefore equal.
     */
    getState: (businessId: string, now: number) => selectState.get({ businessId, now }) as string,
    /**
     * Counts the holds that a key has made since a time (see `COUNTED`), and the used holds among
     * them.
     */
    countSince: (keyId: string, since: number) =>
      countSince.get({ keyId, since }) as { made: number; used: number },
    /** Returns the counts of `countSince` for each key that has made at least `min` holds. */
    listSince: (since: number, min: number) =>
      selectSince.all({ since, min }) as { keyId: string; made: number; used: number }[],
    /** Deletes holds that expired at `until` or earlier. */
    deleteUntil: (until: number) => void deleteOld.run(until),
  };
}
