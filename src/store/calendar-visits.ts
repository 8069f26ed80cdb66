import type { BookedSegment } from "../domain/bookings/booking.ts";
import type { Visit } from "../domain/bookings/visit.ts";
import { parseResources } from "./bookings.ts";
import type { Db } from "./db.ts";

/** A segment of a booking or a reservation, with what a calendar shows of it. */
export type CalendarPart = Pick<
  Visit,
  "status" | "customerRef" | "version" | "createdAt" | "updatedAt"
> &
  Pick<
    BookedSegment,
    | "serviceName"
    | "variantId"
    | "variantName"
    | "staffId"
    | "staffName"
    | "resources"
    | "startsAt"
    | "endsAt"
  > & {
    visitId: string;
    /** When the visit begins: a booking can begin before the segment. */
    visitStartsAt: number;
    guests: number;
    /** The encrypted guest data in hexadecimal; empty if there are none or they were not asked for. */
    sealedHex: string;
    /** Position in the booking; null: a reservation. */
    position: number | null;
    /** null: a reservation. */
    serviceId: string | null;
    /** null: a segment. */
    tableId: string | null;
  };

type Filter = {
  businessId: string;
  /** null: all staff, and reservations. */
  staffId: string | null;
  /** Starts from `from` (included) until `to` (excluded). */
  from: number;
  to: number;
  withGuests: boolean;
};

type Order = "future" | "past";

/** As text, because better-sqlite3 returns 20,000 texts 45 ms sooner than as many blobs. */
const sealedHexOf = (visit: string): string =>
  `iif(:withGuests, hex((SELECT sealed FROM guest WHERE visit_id = ${visit}.id)), '')`;

/** The order of the columns is that of `toPart`. */
const ofBookings = `
  SELECT b.starts_at, b.id, b.status, b.customer_ref, b.version, b.created_at, b.updated_at, b.guests, ${sealedHexOf("b")},
    s.position, s.service_id, s.service_name, s.variant_id, s.variant_name, s.staff_id, s.staff_name, s.resources,
    s.starts_at, s.ends_at, NULL
  FROM booking b CROSS JOIN booking_segment s ON s.booking_id = b.id
  WHERE b.business_id = :businessId AND b.starts_at >= :from AND b.starts_at < :to`;

const ofReservations = `
  SELECT r.starts_at, r.id, r.status, r.customer_ref, r.version, r.created_at, r.updated_at, r.party_size, ${sealedHexOf("r")},
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[]', r.starts_at, r.ends_at, r.table_id
  FROM reservation r WHERE r.business_id = :businessId AND r.starts_at >= :from AND r.starts_at < :to`;

type Row = [
  visitStartsAt: number,
  visitId: string,
  status: Visit["status"],
  customerRef: string | null,
  version: number,
  createdAt: number,
  updatedAt: number,
  guests: number,
  sealedHex: string,
  position: number | null,
  serviceId: string | null,
  serviceName: string | null,
  variantId: string | null,
  variantName: string | null,
  staffId: string | null,
  staffName: string | null,
  resources: string,
  startsAt: number,
  endsAt: number,
  tableId: string | null,
];

const toPart = (row: Row): CalendarPart => ({
  visitStartsAt: row[0],
  visitId: row[1],
  status: row[2],
  customerRef: row[3],
  version: row[4],
  createdAt: row[5],
  updatedAt: row[6],
  guests: row[7],
  sealedHex: row[8],
  position: row[9],
  serviceId: row[10],
  serviceName: row[11],
  variantId: row[12],
  variantName: row[13],
  staffId: row[14],
  staffName: row[15],
  resources: parseResources(row[16]),
  startsAt: row[17],
  endsAt: row[18],
  tableId: row[19],
});

export function createCalendarVisitStore(db: Db) {
  function select(staffId: string | null, order: Order): string {
    const [direction, isListed] =
      order === "past" ? ["DESC", "AND status <> 'CANCELLED'"] : ["ASC", ""];
    const sort = `ORDER BY 1 ${direction}, 2 ${direction}`;
    if (staffId !== null) return `${ofBookings} AND s.staff_id = :staffId ${isListed} ${sort}`;
    return `${ofBookings} ${isListed} UNION ALL ${ofReservations} ${isListed} ${sort}`;
  }

  return {
    /**
     * One query for a whole feed: a query for each of 20,000 visits took a second. Visits of the past
     * come latest first and without cancelled ones, those of the future earliest first.
     */
    *iterate({ staffId, withGuests, ...span }: Filter, order: Order): Iterable<CalendarPart> {
      // Arrays of values are made in half the time of objects.
      const rows = db.prepare(select(staffId, order)).raw();
      const values = {
        ...span,
        withGuests: withGuests ? 1 : 0,
        ...(staffId !== null && { staffId }),
      };
      for (const row of rows.iterate(values) as Iterable<Row>) yield toPart(row);
    },
  };
}
