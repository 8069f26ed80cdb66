import type { Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { VisitStatus } from "../../domain/bookings/visit.ts";
import { createSegmentSearches, createSegmentStatements } from "./booking-segments.ts";
import {
  columns,
  type Db,
  insertInto,
  LISTED,
  parseOptional,
  prepareNewest,
} from "../database/db.ts";
import {
  createVisitStatements,
  isDeleted,
  selectOverlapping,
  selectOwn,
  type UpcomingVisit,
  VISIT,
} from "./visits.ts";
import type { VisitListFilter } from "./visit-lists.ts";

export type VisitFilter = {
  businessId: string;
  status?: VisitStatus | undefined;
  createdByKey?: string | undefined;
  /** Selects IDs below this one. */
  before?: string | undefined;
};

const BOOKING = `${VISIT}, guests, total_cents, currency, currency_digits`;

export function createBookingStore(db: Db) {
  const insert = db.prepare(insertInto("booking", `business_id, ${BOOKING}`));
  const visits = createVisitStatements(db, "booking", BOOKING);
  const segments = createSegmentStatements(db);
  const updatePrice = db.prepare(`
    UPDATE booking SET total_cents = :totalCents, currency = :currency, currency_digits = :currencyDigits
    WHERE id = :id`);
  const selectById = db.prepare(selectOwn("booking", BOOKING));
  const listNewest = prepareNewest(db, "booking", BOOKING, ["status", "created_by_key"]);

  const withSegments = (row: unknown): Booking => {
    const booking = row as Omit<Booking, "segments">;
    return { ...booking, segments: segments.list(booking.id) };
  };

  return {
    ...visits,
    ...createSegmentSearches(db),

    insert(businessId: string, booking: Booking): void {
      const { segments: _segments, ...row } = booking;
      insert.run({ ...row, businessId });
      segments.insertAll(businessId, booking);
    },

    /**
     * Saves the status, times, deadlines and references, but neither price nor segments. A
     * cancelled booking frees its time.
     */
    update(booking: Booking): void {
      visits.update(booking);
      if (booking.status === "CANCELLED") segments.release(booking.id);
    },

    /** Saves the times, the segments and the price. */
    reschedule(businessId: string, booking: Booking): void {
      visits.update(booking);
      const { id, totalCents, currency, currencyDigits } = booking;
      updatePrice.run({ id, totalCents, currency, currencyDigits });
      segments.replaceAll(businessId, booking);
    },

    /** @param createdByKey the key that must have made the booking; null for any */
    findById: (businessId: string, id: string, createdByKey: string | null = null) =>
      parseOptional(selectById.get({ businessId, id, createdByKey }), withSegments),

    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit).map(withSegments),

    listPage: (filter: VisitListFilter, limit: number) =>
      visits.listPage(filter, limit).map(withSegments),
  };
}

const RESERVATION = `${VISIT}, party_size, area_id, table_id`;

/**
 * The condition of reservations that can still be cancelled or moved. The first part repeats the
 * condition of an index, so that SQLite uses the index and need not read all reservations of the
 * business.
 */
const IS_OPEN = "status <> 'CANCELLED' AND status IN ('PENDING', 'CONFIRMED')";

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
      WHERE business_id = :businessId AND ${IS_OPEN} AND ends_at > :now AND table_id IN ${LISTED}
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
      WHERE business_id = :businessId AND ${IS_OPEN} AND ends_at > :now
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
    /**
     * Saves the times, the table and the party size. `_businessId` is needed only by the method of
     * the same name for bookings.
     */
    reschedule(_businessId: string, reservation: Reservation): void {
      visits.update(reservation);
      const { id, partySize, areaId, tableId } = reservation;
      updateTable.run({ id, partySize, areaId, tableId });
    },
    listPage: (filter: VisitListFilter, limit: number) =>
      visits.listPage(filter, limit) as Reservation[],
    /** @param createdByKey the key that must have made the reservation; null for any */
    findById: (businessId: string, id: string, createdByKey: string | null = null) =>
      selectById.get({ businessId, id, createdByKey }) as Reservation | undefined,
    list: (filter: VisitFilter, limit: number) => listNewest(filter, limit) as Reservation[],
    /**
     * Returns the IDs, by start time, of pending and confirmed reservations that are not over and
     * have one of the tables.
     */
    listUpcomingOf: (businessId: string, now: number, tableIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(tableIds) }) as string[],
    /**
     * Returns the IDs of pending and confirmed reservations that are not over, and whose table was
     * deleted.
     */
    listOrphaned: (businessId: string, now: number) =>
      selectOrphaned.all({ businessId, now }) as string[],
    /** Yields the reservations that have not ended, in order of their end. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,
    /** Returns the reservations that overlap the span and end by `until`; `except` is left out. */
    listBusy: (
      businessId: string,
      from: number,
      to: number,
      until = Infinity,
      except: readonly string[] = [],
    ) =>
      selectBusy.all({
        businessId,
        from,
        to,
        until,
        except: JSON.stringify(except),
      }) as Reservation[],
  };
}
