import type { BookedSegment } from "../../domain/bookings/booking.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import { columns, type Db, matching } from "../database/db.ts";

/** The columns that bookings and reservations share. */
export const VISIT = `id, status, starts_at, ends_at, customer_ref, created_by_key, cancel_until, decide_by,
  cancelled_by, cancel_reason, version, created_at, updated_at`;

/** Selects one row of `:businessId`, which a key must have made unless `:createdByKey` is null. */
export const selectOwn = (table: string, names: string, isNamed = "id = :id"): string => `
  SELECT ${columns(names)} FROM ${table} WHERE business_id = :businessId AND ${isNamed}
    AND (:createdByKey IS NULL OR created_by_key = :createdByKey)`;

const DAY_MS = 86_400_000;

/**
 * Selects the rows that overlap a span and end by `:until`, except those of one visit. At most the
 * rows of a day after the span are read, however many follow. Rows that last longer than a day have
 * an index of their own.
 * @param isBusy a condition that also selects the rows of that index
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
    AND starts_at < :to AND ends_at - starts_at <= ${DAY_MS} AND ${visitId} <> :except
  UNION ALL
  SELECT ${columns(names)} FROM ${table} INDEXED BY ${longIndex}
  WHERE business_id = :businessId AND ${isBusy} AND ends_at > :from AND ends_at <= :until
    AND starts_at < :to AND ends_at - starts_at > ${DAY_MS} AND ${visitId} <> :except`;

export const isDeleted = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM catalog_object WHERE id = ${column})`;

/** A filter has a condition for each field that is set. Times are epoch milliseconds. */
export type VisitListFilter = {
  businessId: string;
  createdByKey?: string | undefined;
  createdSince?: number | undefined;
  status?: string | undefined;
  staffId?: string | undefined;
  serviceId?: string | undefined;
  /** Selects visits that start from `from` (included) until `to` (excluded). */
  from?: number | undefined;
  to?: number | undefined;
  /** Selects visits that changed then or later, and sorts them by change. */
  updatedSince?: number | undefined;
  /** The last row of the previous page. */
  after?: { at: number; id: string } | undefined;
};

/** A segment of a booking (with the booking's ID) or a reservation. */
export type UpcomingVisit = Pick<BookedSegment, "staffId" | "startsAt" | "endsAt"> & { id: string };

export type PendingVisit = {
  id: string;
  businessId: string;
  decideBy: number;
  createdAt: number;
};

/** Returns the statements for a table of visits or ticket orders. */
export function createVisitStatements(db: Db, table: string, names: string, order = "starts_at") {
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
    update: (visit: Visit) => void update.run(visit),
    /** Returns the IDs of pending visits that the business has not approved in time. */
    listOverdue: (businessId: string, now: number) =>
      selectOverdue.all({ businessId, now }) as string[],
    /** Lists the pending visits of all businesses, in order of the time to decide. */
    listPending: (limit: number) => selectPending.all(limit) as PendingVisit[],
    /** Counts the pending visits of all businesses. */
    countPending: () => countPending.get() as number,
    listBusinessesWithOverdue: (now: number) => selectBusinessesWithOverdue.all(now) as string[],
    ...createVisitLists(db, table, names, order),
  };
}

/** @param order the column that sorts lists without `updatedSince` */
export function createVisitLists(db: Db, table: string, names: string, order: string) {
  const selectLastChange = db
    .prepare(`SELECT max(updated_at) FROM ${table} WHERE business_id = ?`)
    .pluck();
  const segmentWith = (column: string, name: string) =>
    `EXISTS (SELECT 1 FROM booking_segment WHERE booking_id = ${table}.id AND ${column} = :${name})`;
  const conditions: Record<Exclude<keyof VisitListFilter, "after">, string> = {
    businessId: "business_id = :businessId",
    createdByKey: "created_by_key = :createdByKey",
    createdSince: "created_at >= :createdSince",
    status: "status = :status",
    staffId: segmentWith("staff_id", "staffId"),
    serviceId: segmentWith("service_id", "serviceId"),
    from: `${order} >= :from`,
    to: `${order} < :to`,
    updatedSince: "updated_at >= :updatedSince",
  };
  return {
    /** Returns when one of the business's rows was last changed; 0 if it has none. */
    getLastChange: (businessId: string) => (selectLastChange.get(businessId) as number | null) ?? 0,
    /** Lists visits in order of start or, with `updatedSince`, of change. */
    listPage({ after, ...filter }: VisitListFilter, limit: number): unknown[] {
      const sort = filter.updatedSince === undefined ? order : "updated_at";
      // A filter by key uses the index of keys: the plus excludes the index of businesses.
      const business = `${filter.createdByKey === undefined ? "" : "+"}${conditions.businessId}`;
      const isAfter = sort === "id" ? "id > :afterId" : `(${sort}, id) > (:afterAt, :afterId)`;
      const position = after === undefined ? "TRUE" : isAfter;
      const statement = db.prepare(`
        SELECT ${columns(names)} FROM ${table} WHERE ${matching({ ...conditions, businessId: business }, filter)} AND ${position}
        ORDER BY ${sort === "id" ? sort : `${sort}, id`} LIMIT :limit`);
      const values = Object.entries(filter).filter(([, value]) => value !== undefined);
      return statement.all({
        ...Object.fromEntries(values),
        ...(after && { afterAt: after.at, afterId: after.id }),
        limit,
      });
    },
  };
}
