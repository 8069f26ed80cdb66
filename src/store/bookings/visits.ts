import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import { columns, type Db } from "../database/db.ts";
import { createVisitLists } from "./visit-lists.ts";

/** The columns that bookings and reservations share. */
export const VISIT = `id, status, starts_at, ends_at, customer_ref, created_by_key, cancel_until, decide_by,
  cancelled_by, cancel_reason, version, created_at, updated_at`;

/**
 * Returns SQL that selects one row of the business `:businessId`. Unless `:createdByKey` is null,
 * this key must have made the row.
 */
export const selectOwn = (table: string, names: string, isNamed = "id = :id"): string => `
  SELECT ${columns(names)} FROM ${table} WHERE business_id = :businessId AND ${isNamed}
    AND (:createdByKey IS NULL OR created_by_key = :createdByKey)`;

const DAY_MS = 86_400_000;

/**
 * Returns SQL that selects the rows that overlap a span and end by `:until`, except those of the
 * visits in the JSON array `:except`. All IDs are equally long, so none is a part of another. The
 * first part is for rows that last at most a day, so it need not read rows that end more than a day
 * after the span. The second part reads the longer rows from an index of their own.
 * @param isBusy the condition of rows that occupy time; the index `longIndex` has the same
 * condition
 * @param visitId the column with the ID of the visit
 */
export const selectOverlapping = (
  names: string,
  table: string,
  isBusy: string,
  longIndex: string,
  visitId: string,
) => `
  SELECT ${columns(names)} FROM ${table}
  WHERE business_id = :businessId AND ${isBusy} AND ends_at > :from AND ends_at <= min(:until, :to + ${DAY_MS})
    AND starts_at < :to AND ends_at - starts_at <= ${DAY_MS} AND instr(:except, ${visitId}) = 0
  UNION ALL
  SELECT ${columns(names)} FROM ${table} INDEXED BY ${longIndex}
  WHERE business_id = :businessId AND ${isBusy} AND ends_at > :from AND ends_at <= :until
    AND starts_at < :to AND ends_at - starts_at > ${DAY_MS} AND instr(:except, ${visitId}) = 0`;

export const isDeleted = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM catalog_object WHERE id = ${column})`;

/** A segment of a booking (with the booking's ID) or a reservation. */
export type UpcomingVisit = Pick<BookedSegment, "staffId" | "startsAt" | "endsAt"> & { id: string };

export type PendingVisit = {
  id: string;
  businessId: string;
  decideBy: number;
  createdAt: number;
};

/** Returns the statements for a table of visits. */
export function createVisitStatements(db: Db, table: string, names: string) {
  const update = db.prepare(`
    UPDATE ${table} SET status = :status, starts_at = :startsAt, ends_at = :endsAt, customer_ref = :customerRef,
      cancel_until = :cancelUntil, decide_by = :decideBy, cancelled_by = :cancelledBy,
      cancel_reason = :cancelReason, version = :version, updated_at = :updatedAt
    WHERE id = :id`);
  const selectOverdue = db
    .prepare(`
      SELECT id FROM ${table} WHERE status = 'PENDING' AND decide_by <= :now AND business_id = :businessId
      ORDER BY decide_by, id`)
    .pluck();
  const selectBusinessesWithOverdue = db
    .prepare(
      `SELECT DISTINCT business_id FROM ${table} WHERE status = 'PENDING' AND decide_by <= ?`,
    )
    .pluck();
  const selectPending = db.prepare(`
    SELECT id, ${columns("business_id, decide_by, created_at")} FROM ${table}
    WHERE status = 'PENDING' AND decide_by IS NOT NULL ORDER BY decide_by LIMIT ?`);
  const countPending = db
    .prepare(`SELECT count(*) FROM ${table} WHERE status = 'PENDING' AND decide_by IS NOT NULL`)
    .pluck();
  const selectByEnding = db
    .prepare(
      `SELECT id FROM ${table} WHERE business_id = :businessId AND substr(id, -length(:ending)) = :ending LIMIT 2`,
    )
    .pluck();
  return {
    /**
     * Returns at most two IDs that end in the text. It reads the IDs of all rows of the business.
     */
    listByEnding: (businessId: string, ending: string) =>
      selectByEnding.all({ businessId, ending }) as string[],
    /** Saves the status, times, deadlines and references. */
    update: (visit: Visit) => void update.run(visit),
    /** Returns the IDs of pending visits that the business has not approved in time. */
    listOverdue: (businessId: string, now: number) =>
      selectOverdue.all({ businessId, now }) as string[],
    /** Lists the pending visits of all businesses, in order of the time to decide. */
    listPending: (limit: number) => selectPending.all(limit) as PendingVisit[],
    /** Counts the pending visits of all businesses. */
    countPending: () => countPending.get() as number,
    listBusinessesWithOverdue: (now: number) => selectBusinessesWithOverdue.all(now) as string[],
    ...createVisitLists(db, {
      table,
      names,
      order: "starts_at",
      indexes: {
        all: `${table}_start`,
        status: `${table}_status_start`,
        own: `${table}_own_start`,
      },
    }),
  };
}
