import { columns, type Db, matching } from "../database/db.ts";

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
  /** Selects visits that changed at this time or later, and sorts them by change. */
  updatedSince?: number | undefined;
  /** The last row of the previous page. */
  after?: { at: number; id: string } | undefined;
};

/**
 * A table of visits or ticket orders. The lists are sorted by the column `order`, or by the last
 * change if the filter has `updatedSince`. Each index is for lists sorted by `order`: `all` for all
 * rows, `status` for the rows with one status, and `own` for the rows that a key has made.
 */
type ListedTable = {
  table: string;
  /** The columns to read. */
  names: string;
  /** The column by which lists without `updatedSince` are sorted; the ID decides between equals. */
  order: string;
  indexes: { all: string; status: string; own: string };
};

/** The rows that a list reads, and the columns by which they are sorted. */
type Rows = { source: string; sort: string };

/**
 * Returns the conditions of a list that is sorted by `order`: `from` and `to` bound the values of
 * `order`, and `after` selects the rows behind the last row of the previous page.
 * @param id the column with the ID of a row
 */
const spanConditions = (order: string, id: string) => ({
  from: `${order} >= :from`,
  to: `${order} < :to`,
  after: order === id ? `${id} > :afterId` : `(${order}, ${id}) > (:afterAt, :afterId)`,
});

/**
 * Selects the bookings with a segment of a staff member or service, in order of start. A booking
 * with several such segments is selected once, by the first of them. The caller applies the rest of
 * the filter to the rows of `booking`.
 * @param column `staff_id` or `service_id`
 * @param name the parameter with the ID of the staff member or service
 */
function bookingsOf(column: string, name: string, index: string, filter: VisitListFilter): Rows {
  const { from, to, after } = filter;
  const isInSpan = matching(spanConditions("visit_starts_at", "booking_id"), { from, to, after });
  const source = `(
      SELECT booking_id AS listed_id, visit_starts_at AS listed_start
      FROM booking_segment AS part INDEXED BY ${index}
      WHERE business_id = :businessId AND ${column} = :${name} AND ${isInSpan}
        AND position = (
          SELECT min(position) FROM booking_segment
          WHERE booking_id = part.booking_id AND ${column} = :${name})
    ) CROSS JOIN booking ON id = listed_id`;
  return { source, sort: "listed_start, listed_id" };
}

/** Returns the statements for lists of visits or ticket orders. */
export function createVisitLists(db: Db, { table, names, order, indexes }: ListedTable) {
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
    updatedSince: "updated_at >= :updatedSince",
    ...spanConditions(order, "id"),
  };

  /**
   * Chooses an index that finds few rows and has them in the order of the list. Lists of pending
   * visits may need a sort after the read, which is fast, because few visits are pending at a time.
   */
  function chooseRows(filter: VisitListFilter): Rows {
    const { createdByKey, status, staffId, serviceId, updatedSince } = filter;
    const isByChange = updatedSince !== undefined;
    const by = isByChange ? "updated_at" : order;
    const indexed = (index: string): Rows => ({
      source: `${table} INDEXED BY ${index}`,
      sort: by === "id" ? by : `${by}, id`,
    });
    if (status === "PENDING") return indexed(indexes.status);
    if (createdByKey !== undefined)
      return indexed(isByChange ? `${table}_own_change` : indexes.own);
    if (isByChange) return indexed(`${table}_change`);
    if (staffId !== undefined)
      return bookingsOf("staff_id", "staffId", "booking_segment_staff", filter);
    if (serviceId !== undefined)
      return bookingsOf("service_id", "serviceId", "booking_segment_service", filter);
    return indexed(status === undefined ? indexes.all : indexes.status);
  }

  return {
    /** Returns when one of the business's rows was last changed; 0 if it has none. */
    getLastChange: (businessId: string) => (selectLastChange.get(businessId) as number | null) ?? 0,
    /** Lists visits in order of start or, with `updatedSince`, of change. */
    listPage(filter: VisitListFilter, limit: number): unknown[] {
      const { source, sort } = chooseRows(filter);
      const { after } = spanConditions(
        filter.updatedSince === undefined ? order : "updated_at",
        "id",
      );
      const statement = db.prepare(`
        SELECT ${columns(names)} FROM ${source} WHERE ${matching({ ...conditions, after }, filter)}
        ORDER BY ${sort} LIMIT :limit`);
      const { after: last, ...others } = filter;
      const values = Object.entries(others).filter(([, value]) => value !== undefined);
      return statement.all({
        ...Object.fromEntries(values),
        ...(last && { afterAt: last.at, afterId: last.id }),
        limit,
      });
    },
  };
}
