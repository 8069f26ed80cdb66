import type { BookedSegment, Booking } from "../../domain/bookings/booking.ts";
import { columns, type Db, insertInto, LISTED } from "../database/db.ts";
import { parseJson } from "../database/storage-error.ts";
import { isDeleted, selectOverlapping, type UpcomingVisit } from "./visits.ts";

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

type Raw<Row> = Omit<Row, "addons" | "resources"> & { addons: string; resources: string };

/**
 * One empty array is shared, because most of the thousands of segments of a calendar use no
 * resource.
 */
const NO_RESOURCES: BookedSegment["resources"] = [];

export const parseResources = (text: string): BookedSegment["resources"] =>
  text === "[]"
    ? NO_RESOURCES
    : (parseJson(text, "booking_segment.resources") as BookedSegment["resources"]);

/** Reads and writes the segments of a booking. */
export function createSegmentStatements(db: Db) {
  const insert = db.prepare(
    insertInto(
      "booking_segment",
      `booking_id, position, business_id, is_busy, visit_starts_at, ${SEGMENT}`,
    ),
  );
  const select = db.prepare(
    `SELECT ${columns(SEGMENT)} FROM booking_segment WHERE booking_id = ? ORDER BY position`,
  );
  const deleteSegments = db.prepare("DELETE FROM booking_segment WHERE booking_id = ?");
  const release = db.prepare("UPDATE booking_segment SET is_busy = 0 WHERE booking_id = ?");
  const insertAll = (businessId: string, { id, startsAt, segments }: Booking): void => {
    for (const [position, segment] of segments.entries())
      insert.run({
        ...segment,
        bookingId: id,
        position,
        businessId,
        isBusy: 1,
        visitStartsAt: startsAt,
        addons: JSON.stringify(segment.addons),
        resources: JSON.stringify(segment.resources),
      });
  };

  return {
    insertAll,
    replaceAll(businessId: string, booking: Booking): void {
      deleteSegments.run(booking.id);
      insertAll(businessId, booking);
    },
    /** Frees the time of a cancelled booking, whose segments stay. */
    release: (bookingId: string) => void release.run(bookingId),
    /** Returns the segments of a booking in their order. */
    list: (bookingId: string): BookedSegment[] =>
      (select.all(bookingId) as Raw<BookedSegment>[]).map((segment) => ({
        ...segment,
        addons: parseJson(segment.addons, "booking_segment.addons") as BookedSegment["addons"],
        resources: parseResources(segment.resources),
      })),
  };
}

/**
 * The condition of segments whose booking can still be cancelled or moved. The segments of a
 * booking that was completed, or marked as a no-show, stay busy until its end.
 */
const IS_OPEN =
  "EXISTS (SELECT 1 FROM booking WHERE id = booking_id AND status IN ('PENDING', 'CONFIRMED'))";

/** Searches for the bookings whose segments occupy a time or use an object. */
export function createSegmentSearches(db: Db) {
  const selectBusy = db.prepare(
    selectOverlapping(
      BUSY_SEGMENT,
      "booking_segment",
      "is_busy = 1",
      // This index has only the segments that are longer than a day.
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
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now AND ${IS_OPEN}
        AND (service_id IN ${LISTED} OR variant_id IN ${LISTED} OR staff_id IN ${LISTED})
      ORDER BY starts_at, booking_id`)
    .pluck();

  const selectUpcomingWith = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now AND ${IS_OPEN}
        AND json_array(service_id, variant_id, staff_id) IN ${LISTED}
      ORDER BY starts_at, booking_id`)
    .pluck();

  const selectOverlappingOf = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :startsAt AND starts_at < :endsAt
        AND staff_id = :staffId AND ${IS_OPEN}
      ORDER BY starts_at, booking_id`)
    .pluck();

  const selectOrphaned = db
    .prepare(`
      SELECT DISTINCT booking_id FROM booking_segment
      WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now AND ${IS_OPEN}
        AND (${isDeleted("service_id")} OR staff_id IS NOT NULL AND ${isDeleted("staff_id")})
      ORDER BY booking_id`)
    .pluck();

  return {
    /**
     * Returns the IDs, by start time, of pending and confirmed bookings that are not over and use
     * one of the objects.
     */
    listUpcomingOf: (businessId: string, now: number, objectIds: readonly string[]) =>
      selectUpcomingOf.all({ businessId, now, ids: JSON.stringify(objectIds) }) as string[],

    /**
     * Returns the IDs, by start time, of pending and confirmed bookings that are not over and in
     * which a person performs the service that `performed` lists with this person.
     */
    listUpcomingWith: (businessId: string, now: number, performed: readonly PerformedService[]) =>
      selectUpcomingWith.all({ businessId, now, ids: JSON.stringify(performed) }) as string[],

    /**
     * Returns the IDs, by start time, of pending and confirmed bookings in which a staff member is
     * busy during a span.
     */
    listOverlappingOf: (
      businessId: string,
      staffId: string,
      { startsAt, endsAt }: Pick<UpcomingVisit, "startsAt" | "endsAt">,
    ) => selectOverlappingOf.all({ businessId, staffId, startsAt, endsAt }) as string[],

    /**
     * Returns the IDs of pending and confirmed bookings that are not over, and whose service or
     * staff member was deleted.
     */
    listOrphaned: (businessId: string, now: number) =>
      selectOrphaned.all({ businessId, now }) as string[],

    /** Yields the segments that have not ended, in order of their end. */
    iterateUpcoming: (businessId: string, now: number) =>
      selectUpcoming.iterate({ businessId, now }) as Iterable<UpcomingVisit>,

    /**
     * Returns the segments that overlap the span. The buffers before and after a segment do not
     * count as a part of it.
     * @param until segments that end after this time are left out
     * @param except the IDs of bookings to leave out
     */
    listBusySegments(
      businessId: string,
      from: number,
      to: number,
      until = Infinity,
      except: readonly string[] = [],
    ): BusySegment[] {
      const values = { businessId, from, to, until, except: JSON.stringify(except) };
      const rows = selectBusy.all(values) as Raw<BusySegment>[];
      return rows.map((row) => ({ ...row, resources: parseResources(row.resources) }));
    },
  };
}
