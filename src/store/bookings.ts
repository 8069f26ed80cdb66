import type { BookedSegment, Booking } from "../domain/bookings/booking.ts";
import type { Reservation } from "../domain/bookings/reservation.ts";
import type { VisitStatus } from "../domain/bookings/visit.ts";
import { columns, type Db, insertInto, LISTED, optional, prepareNewest } from "./db.ts";
import { parseJson } from "./json.ts";
import { createVisitStatements, selectOwn, VISIT, type VisitListFilter } from "./visits.ts";

export type VisitFilter = {
  businessId: string;
  status?: VisitStatus | undefined;
  createdByKey?: string | undefined;
  /** Selects IDs below this one. */
  before?: string | undefined;
};

const BOOKING = `${VISIT}, guests, total_cents, currency, currency_digits`;
const BUSY_SEGMENT = `service_id, staff_id, resources, seats, buffer_before_min, buffer_after_min, starts_at,
  ends_at`;
const SEGMENT = `${BUSY_SEGMENT}, variant_id, addons, price_cents, service_name, variant_name, staff_name`;

export type BusySegment = Pick<
  BookedSegment,
  | "serviceId"
  | "staffId"
  | "resources"
  | "seats"
  | "bufferBeforeMin"
  | "bufferAfterMin"
  | "startsAt"
  | "endsAt"
>;

/** A service, perhaps one of its variants, and a person who performs it. */
export type PerformedService = [serviceId: string, variantId: string | null, staffId: string];

/** A segment of a booking, with the booking's ID, or a reservation. */
export type UpcomingVisit = Pick<BookedSegment, "staffId" | "startsAt" | "endsAt"> & { id: string };

type Raw<Row> = Omit<Row, "addons" | "resources"> & { addons: string; resources: string };

const DAY_MS = 86_400_000;

/**
 * Selects the rows that overlap a span and end by `:until`, except those of one visit. Reads at most the rows of a day after
 * the span, however many follow; those that last longer than a day have their own index.
 * @param isBusy a condition that also selects the rows of that index
 * @param visitId the column with the ID of the visit
 */
const selectOverlapping = (
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

const isDeleted = (column: string) =>
  `NOT EXISTS (SELECT 1 FROM catalog_object WHERE id = ${column})`;

/** Shared, because most of the thousands of segments of a calendar use no resources. */
const NONE: BookedSegment["resources"] = [];

export const parseResources = (text: string): BookedSegment["resources"] =>
  text === "[]"
    ? NONE
    : (parseJson(text, "booking_segment.resources") as BookedSegment["resources"]);

export function createBookingStore(db: Db) {
  const insert = db.prepare(insertInto("booking", `business_id, ${BOOKING}`));
  const insertSegment = db.prepare(
    insertInto("booking_segment", `booking_id, position, business_id, is_busy, ${SEGMENT}`),
  );
  const visits = createVisitStatements(db, "booking", BOOKING);
  const updatePrice = db.prepare("UPDATE booking SET total_cents = :totalCents WHERE id = :id");
  const deleteSegments = db.prepare("DELETE FROM booking_segment WHERE booking_id = ?");
  const release = db.prepare("UPDATE booking_segment SET is_busy = 0 WHERE booking_id = ?");
  const selectById = db.prepare(selectOwn("booking", BOOKING));
  const segments = db.prepare(
    `SELECT ${columns(SEGMENT)} FROM booking_segment WHERE booking_id = ? ORDER BY position`,
  );
  const listNewest = prepareNewest(db, "booking", BOOKING, ["status", "created_by_key"]);
  const selectBusy = db.prepare(
    selectOverlapping(
      BUSY_SEGMENT,
      "booking_segment",
      "is_busy = 1",
      "booking_segment_long",
      "booking_id",
    ),
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

  const selectUpcomingWith = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now
        AND json_array(service_id, variant_id, staff_id) IN ${LISTED}
      ORDER BY starts_at, booking_id`)
    .pluck();

  const selectOverlappingOf = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :startsAt AND starts_at < :endsAt
        AND staff_id = :staffId
      ORDER BY starts_at, booking_id`)
    .pluck();

  const selectOrphaned = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now
        AND (${isDeleted("service_id")} OR staff_id IS NOT NULL AND ${isDeleted("staff_id")})
      ORDER BY booking_id`)
    .pluck();

  const withSegments = (row: unknown): Booking => {
    const booking = row as Omit<Booking, "segments">;
    const rows = segments.all(booking.id) as Raw<BookedSegment>[];
    return {
      ...booking,
      segments: rows.map((segment) => ({
        ...segment,
        addons: parseJson(segment.addons, "booking_segment.addons") as BookedSegment["addons"],
        resources: parseResources(segment.resources),
      })),
    };
  };

  const insertSegments = (businessId: string, { id, segments }: Booking): void => {
    for (const [position, segment] of segments.entries())
      insertSegment.run({
        ...segment,
        bookingId: id,
        position,
        businessId,
        isBusy: 1,
        addons: JSON.stringify(segment.addons),
        resources: JSON.stringify(segment.resources),
      });
  };

  return {
    ...visits,
    insert(businessId: string, booking: Booking): void {
      const { segments: _segments, ...row } = booking;
      insert.run({ ...row, businessId });
      insertSegments(businessId, booking);
    },

    /** Saves all but the segments. A cancelled booking releases its time. */
    update(booking: Booking): void {
      visits.update(booking);
      if (booking.status === "CANCELLED") release.run(booking.id);
    },

    /** Saves the times, the segments and the price. */
    reschedule(businessId: string, booking: Booking): void {
      visits.update(booking);
      updatePrice.run({ id: booking.id, totalCents: booking.totalCents });
      deleteSegments.run(booking.id);
      insertSegments(businessId, booking);
    },

    /** @param createdByKey the key that must have made it; null: anyone */
    findById: (businessId: string, id: string, createdByKey: string | null = null) =>
      optional(selectById.get({ businessId, id, createdByKey }), withSegments),

    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit).map(withSegments),

    listPage: (filter: VisitListFilter, limit: number) =>
      visits.listPage(filter, limit).map(withSegments),

    /** IDs, by start time, of bookings that are not over and use one of the objects. */
    listUpcomingOf: (businessId: string, now: number, objectIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(objectIds) }) as string[],

    /** IDs, by start time, of bookings that are not over and have one of the services with its person. */
    listUpcomingWith: (businessId: string, now: number, performed: readonly PerformedService[]) =>
      selectUpcomingWith.all({ businessId, now, ids: JSON.stringify(performed) }) as string[],

    /** IDs, by start time, of bookings in which a staff member is busy during a span. */
    listOverlappingOf: (
      businessId: string,
      staffId: string,
      { startsAt, endsAt }: Pick<UpcomingVisit, "startsAt" | "endsAt">,
    ) => selectOverlappingOf.all({ businessId, staffId, startsAt, endsAt }) as string[],

    /** IDs of bookings that are not over, and whose service or staff member was deleted. */
    listOrphaned: (businessId: string, now: number) =>
      selectOrphaned.all({ businessId, now }) as string[],

    /** Returns upcoming visits by their end. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,

    /** Segments that overlap the span, buffers excluded, and end by `until`; not of `except`. */
    listBusySegments(
      businessId: string,
      from: number,
      to: number,
      until = Infinity,
      except = "",
    ): BusySegment[] {
      const rows = selectBusy.all({ businessId, from, to, until, except }) as Raw<BusySegment>[];
      return rows.map((row) => ({ ...row, resources: parseResources(row.resources) }));
    },
  };
}

const RESERVATION = `${VISIT}, party_size, area_id, table_id`;

export function createReservationStore(db: Db) {
  const insert = db.prepare(insertInto("reservation", `business_id, ${RESERVATION}`));
  const visits = createVisitStatements(db, "reservation", RESERVATION);
  const updateTable = db.prepare(
    "UPDATE reservation SET party_size = :partySize, area_id = :areaId, table_id = :tableId WHERE id = :id",
  );
  const selectById = db.prepare(selectOwn("reservation", RESERVATION));
  const listNewest = prepareNewest(db, "reservation", RESERVATION, ["status", "created_by_key"]);
  const selectUpcomingOf = db
    .prepare(`
      SELECT id FROM reservation
      WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :now AND table_id IN ${LISTED}
      ORDER BY starts_at, id`)
    .pluck();
  const selectBusy = db.prepare(
    selectOverlapping(
      RESERVATION,
      "reservation",
      "status <> 'CANCELLED'",
      "reservation_long",
      "id",
    ),
  );
  const selectOrphaned = db
    .prepare(`
      SELECT id FROM reservation
      WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :now
        AND ${isDeleted("table_id")}
      ORDER BY id`)
    .pluck();
  const selectUpcoming = db.prepare(`
    SELECT id, NULL AS staffId, ${columns("starts_at, ends_at")} FROM reservation
    WHERE business_id = :businessId AND status <> 'CANCELLED' AND ends_at > :now ORDER BY ends_at`);

  return {
    ...visits,
    insert: (businessId: string, reservation: Reservation) =>
      void insert.run({ ...reservation, businessId }),
    /** Saves all but the table. A cancelled reservation releases it. */
    update: (reservation: Reservation) => visits.update(reservation),
    /** Saves the times, the table and the party size. */
    reschedule(_businessId: string, reservation: Reservation): void {
      visits.update(reservation);
      const { id, partySize, areaId, tableId } = reservation;
      updateTable.run({ id, partySize, areaId, tableId });
    },
    listPage: (filter: VisitListFilter, limit: number) =>
      visits.listPage(filter, limit) as Reservation[],
    /** @param createdByKey the key that must have made it; null: anyone */
    findById: (businessId: string, id: string, createdByKey: string | null = null) =>
      selectById.get({ businessId, id, createdByKey }) as Reservation | undefined,
    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit) as Reservation[],
    /** IDs, by start time, of reservations that are not over and have one of the tables. */
    listUpcomingOf: (businessId: string, now: number, tableIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(tableIds) }) as string[],
    /** IDs of reservations that are not over, and whose table was deleted. */
    listOrphaned: (businessId: string, now: number) =>
      selectOrphaned.all({ businessId, now }) as string[],
    /** Returns upcoming visits by their end. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,
    /** Returns the reservations that overlap the span and end by `until`, except one. */
    listBusy: (businessId: string, from: number, to: number, until = Infinity, except = "") =>
      selectBusy.all({ businessId, from, to, until, except }) as Reservation[],
  };
}
