import { columns, type Db } from "../database/db.ts";

// The limits of bookings, holds and ticket orders need the counts in this file.

/** How long hourly counts are kept, to know how many visits are usual: a week. */
export const KEPT_HOURS = 7 * 24;
const DAY_HOURS = 24;
/** Recent visits are those of the current hour and the one before. */
const RECENT_HOURS = 2;

export type RecentVisits = {
  keyId: string;
  /** Visits of the last two hours. */
  recent: number;
  /** Visits of the busiest hour in the last seven days, without the last two hours. */
  busiest: number;
};

/**
 * Counts the visits that keys make. An hour is the number of full hours since 1970, by the wall
 * clock.
 */
export function createKeyVisitStore(db: Db) {
  const increment = db.prepare(`
    INSERT INTO key_visits (key_id, hour, visits) VALUES (:keyId, :hour, 1)
    ON CONFLICT (key_id, hour) DO UPDATE SET visits = visits + 1`);
  const cancel = db.prepare(
    "UPDATE key_visits SET cancelled = cancelled + 1 WHERE key_id = :keyId AND hour = :hour",
  );
  const countOfDay = db
    .prepare(`
      SELECT coalesce(sum(visits - cancelled), 0) FROM key_visits
      WHERE key_id = :keyId AND hour > :hour - ${DAY_HOURS} AND hour <= :hour`)
    .pluck();
  const selectRecent = db.prepare(`
    SELECT ${columns("key_id")}, sum(visits) AS recent, coalesce((
      SELECT max(visits) FROM key_visits AS earlier
      WHERE earlier.key_id = latest.key_id
        AND hour > :hour - ${KEPT_HOURS} AND hour <= :hour - ${RECENT_HOURS}), 0) AS busiest
    FROM key_visits AS latest WHERE hour > :hour - ${RECENT_HOURS} AND hour <= :hour
    GROUP BY key_id HAVING recent > 0`);
  const deleteOld = db.prepare("DELETE FROM key_visits WHERE hour <= ?");

  return {
    increment: (keyId: string, hour: number) => void increment.run({ keyId, hour }),
    /** @param hour the hour in which the visit was made */
    cancel: (keyId: string, hour: number) => void cancel.run({ keyId, hour }),
    /**
     * Counts the visits of the current hour and the 23 hours before it, without the cancelled
     * visits.
     */
    countOfDay: (keyId: string, hour: number) => countOfDay.get({ keyId, hour }) as number,
    listRecent: (hour: number) => selectRecent.all({ hour }) as RecentVisits[],
    deleteUntil: (hour: number) => void deleteOld.run(hour),
  };
}

export type VisitorActionKind = "visit" | "order";

/** Counts the visits and orders of each visitor (stored as a hash) for whom a key acts. */
export function createVisitorStore(db: Db) {
  const insert = db.prepare(
    "INSERT INTO visitor_action (visitor, kind, made_at) VALUES (:visitor, :kind, :at)",
  );
  const count = db
    .prepare(
      "SELECT count(*) FROM visitor_action WHERE visitor = :visitor AND kind = :kind AND made_at > :since",
    )
    .pluck();
  const deleteActions = db.prepare("DELETE FROM visitor_action WHERE made_at <= ?");
  const forgetHolds = db.prepare(
    "UPDATE hold SET visitor = NULL WHERE visitor IS NOT NULL AND created_at <= ?",
  );

  return {
    insertAction: (visitor: Buffer, kind: VisitorActionKind, at: number) =>
      void insert.run({ visitor, kind, at }),
    countActions: (visitor: Buffer, kind: VisitorActionKind, since: number) =>
      count.get({ visitor, kind, since }) as number,
    /** Deletes what was stored about visitors at `until` or earlier. Their holds stay. */
    deleteUntil(until: number): void {
      deleteActions.run(until);
      forgetHolds.run(until);
    },
  };
}

export function createTakenTicketStore(db: Db) {
  const selectAll = db
    .prepare("SELECT ticket_type_id, taken FROM ticket_hold WHERE business_id = ?")
    .raw();
  const selectOne = db
    .prepare(
      "SELECT taken FROM ticket_hold WHERE business_id = :businessId AND ticket_type_id = :ticketTypeId",
    )
    .pluck();

  return {
    /** Counts the tickets in pending and confirmed orders, by ticket type. */
    count: (businessId: string) => new Map(selectAll.all(businessId) as [string, number][]),
    countOf: (businessId: string, ticketTypeId: string) =>
      (selectOne.get({ businessId, ticketTypeId }) as number | undefined) ?? 0,
  };
}
