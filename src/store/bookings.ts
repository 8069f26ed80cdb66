import type { BookedSegment, Booking, VisitStatus } from "../domain/bookings/booking.ts";
import type { Reservation } from "../domain/bookings/reservation.ts";
import { columns, type Db, insertInto, LISTED, optional, prepareNewest } from "./db.ts";

export type VisitFilter = {
  businessId: string;
  status?: VisitStatus | undefined;
  /** Only IDs below it. */
  before?: string | undefined;
};

const BOOKING = `id, status, starts_at, ends_at, guests, total_cents, currency, currency_digits, customer_ref,
  version, created_at, updated_at`;
const BUSY_SEGMENT = `service_id, staff_id, resources, seats, buffer_before_min, buffer_after_min, starts_at,
  ends_at`;
const SEGMENT = `${BUSY_SEGMENT}, variant_id, addons, price_cents`;

type BusySegment = Omit<BookedSegment, "variantId" | "addons" | "priceCents">;

/** A segment of a booking, with the booking's ID, or a reservation. */
export type UpcomingVisit = Pick<BookedSegment, "staffId" | "startsAt" | "endsAt"> & { id: string };

type Raw<Row> = Omit<Row, "addons" | "resources"> & { addons: string; resources: string };

const DAY_MS = 86_400_000;

/**
 * Selects the rows that overlap a span and end by `:until`. Reads at most the rows of a day after
 * the span, however many follow; those that last longer than a day have their own index.
 * @param isBusy a condition that also selects the rows of that index
 */
const selectOverlapping = (names: string, table: string, isBusy: string, longIndex: string) => `
  SELECT ${columns(names)} FROM ${table}
  WHERE business_id = :businessId AND ${isBusy} AND ends_at > :from AND ends_at <= min(:until, :to + ${DAY_MS})
    AND starts_at < :to AND ends_at - starts_at <= ${DAY_MS}
  UNION ALL
  SELECT ${columns(names)} FROM ${table} INDEXED BY ${longIndex}
  WHERE business_id = :businessId AND ${isBusy} AND ends_at > :from AND ends_at <= :until
    AND starts_at < :to AND ends_at - starts_at > ${DAY_MS}`;

/** Shared, because most of the thousands of segments of a calendar use no resources. */
const NONE: BookedSegment["resources"] = [];

const parseResources = (text: string): BookedSegment["resources"] =>
  text === "[]" ? NONE : (JSON.parse(text) as BookedSegment["resources"]);

export function createBookingStore(db: Db) {
  const insert = db.prepare(insertInto("booking", `business_id, ${BOOKING}`));
  const insertSegment = db.prepare(
    insertInto("booking_segment", `booking_id, position, business_id, is_busy, ${SEGMENT}`),
  );
  const cancel = db.prepare(
    "UPDATE booking SET status = 'CANCELLED', version = version + 1, updated_at = :now WHERE id = :id",
  );
  const release = db.prepare("UPDATE booking_segment SET is_busy = 0 WHERE booking_id = ?");
  const selectById = db.prepare(
    `SELECT ${columns(BOOKING)} FROM booking WHERE business_id = :businessId AND id = :id`,
  );
  const segments = db.prepare(
    `SELECT ${columns(SEGMENT)} FROM booking_segment WHERE booking_id = ? ORDER BY position`,
  );
  const listNewest = prepareNewest(db, "booking", BOOKING, ["status"]);
  const selectBusy = db.prepare(
    selectOverlapping(BUSY_SEGMENT, "booking_segment", "is_busy = 1", "booking_segment_long"),
  );
  const selectUpcoming = db.prepare(`
    SELECT booking_id AS id, ${columns("staff_id, starts_at, ends_at")}
    FROM booking_segment WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now
    ORDER BY ends_at`);

  const selectUpcomingOf = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now
        AND (service_id IN ${LISTED} OR variant_id IN ${LISTED} OR staff_id IN ${LISTED})
      ORDER BY starts_at, booking_id`)
    .pluck();

  const withSegments = (row: unknown): Booking => {
    const booking = row as Omit<Booking, "segments">;
    const rows = segments.all(booking.id) as Raw<BookedSegment>[];
    return {
      ...booking,
      segments: rows.map((segment) => ({
        ...segment,
        addons: JSON.parse(segment.addons) as BookedSegment["addons"],
        resources: parseResources(segment.resources),
      })),
    };
  };

  return {
    insert(businessId: string, { segments, ...booking }: Booking): void {
      insert.run({ ...booking, businessId });
      for (const [position, segment] of segments.entries())
        insertSegment.run({
          ...segment,
          bookingId: booking.id,
          position,
          businessId,
          isBusy: 1,
          addons: JSON.stringify(segment.addons),
          resources: JSON.stringify(segment.resources),
        });
    },

    cancel(id: string, now: number): void {
      cancel.run({ id, now });
      release.run(id);
    },

    findById: (businessId: string, id: string) =>
      optional(selectById.get({ businessId, id }), withSegments),

    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit).map(withSegments),

    /** IDs, by start time, of bookings that are not over and use one of the objects. */
    listUpcomingOf: (businessId: string, now: number, objectIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(objectIds) }) as string[],

    /** By end time. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,

    /** Segments that overlap the span, buffers excluded, and end by `until`. */
    listBusySegments(
      businessId: string,
      from: number,
      to: number,
      until = Infinity,
    ): BusySegment[] {
      const rows = selectBusy.all({ businessId, from, to, until }) as Raw<BusySegment>[];
      return rows.map((row) => ({ ...row, resources: parseResources(row.resources) }));
    },
  };
}

const RESERVATION = `id, status, party_size, starts_at, ends_at, area_id, table_id, customer_ref, version,
  created_at, updated_at`;

export function createReservationStore(db: Db) {
  const insert = db.prepare(insertInto("reservation", `business_id, ${RESERVATION}`));
  const cancel = db.prepare(
    "UPDATE reservation SET status = 'CANCELLED', version = version + 1, updated_at = :now WHERE id = :id",
  );
  const selectById = db.prepare(
    `SELECT ${columns(RESERVATION)} FROM reservation WHERE business_id = :businessId AND id = :id`,
  );
  const listNewest = prepareNewest(db, "reservation", RESERVATION, ["status"]);
  const selectUpcomingOf = db
    .prepare(`
      SELECT id FROM reservation
      WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :now AND table_id IN ${LISTED}
      ORDER BY starts_at, id`)
    .pluck();
  const selectBusy = db.prepare(
    selectOverlapping(RESERVATION, "reservation", "status <> 'CANCELLED'", "reservation_long"),
  );
  const selectUpcoming = db.prepare(`
    SELECT id, NULL AS staffId, ${columns("starts_at, ends_at")} FROM reservation
    WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :now ORDER BY ends_at`);

  return {
    insert: (businessId: string, reservation: Reservation) =>
      void insert.run({ ...reservation, businessId }),
    cancel: (id: string, now: number) => void cancel.run({ id, now }),
    findById: (businessId: string, id: string) =>
      selectById.get({ businessId, id }) as Reservation | undefined,
    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit) as Reservation[],
    /** IDs, by start time, of reservations that are not over and have one of the tables. */
    listUpcomingOf: (businessId: string, now: number, tableIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(tableIds) }) as string[],
    /** By end time. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,
    listBusy: (businessId: string, from: number, to: number, until = Infinity) =>
      selectBusy.all({ businessId, from, to, until }) as Reservation[],
  };
}
