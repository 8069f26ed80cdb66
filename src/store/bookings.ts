import type { BookedSegment, Booking, VisitStatus } from "../domain/bookings/booking.ts";
import type { Db } from "./db.ts";

export type VisitFilter = {
  businessId: string;
  status?: VisitStatus | undefined;
  /** An ID: only older ones. */
  before?: string | undefined;
};

const COLUMNS = `id, status, starts_at AS startsAt, ends_at AS endsAt, guests, total_cents AS totalCents, currency,
  customer_ref AS customerRef, created_at AS createdAt, updated_at AS updatedAt`;

const SEGMENT_COLUMNS = `service_id AS serviceId, variant_id AS variantId, addons, staff_id AS staffId, resources, seats,
  buffer_before_min AS bufferBeforeMin, buffer_after_min AS bufferAfterMin, starts_at AS startsAt, ends_at AS endsAt,
  price_cents AS priceCents`;

/** The part of a segment that determines which resources are busy. */
type BusySegment = Omit<BookedSegment, "variantId" | "addons" | "priceCents">;

type UpcomingSegment = { id: string } & Pick<BookedSegment, "staffId" | "startsAt" | "endsAt">;

type RawSegment = Omit<BookedSegment, "addons" | "resources"> & {
  addons: string;
  resources: string;
};

/** Shared, because most of the thousands of segments of a calendar use no resources. */
const NONE: BookedSegment["resources"] = [];

const parseResources = (text: string): BookedSegment["resources"] =>
  JSON.parse(text) as BookedSegment["resources"];

export function createBookingStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO booking (id, business_id, status, starts_at, ends_at, guests, total_cents, currency, customer_ref, created_at,
      updated_at)
    VALUES (:id, :businessId, :status, :startsAt, :endsAt, :guests, :totalCents, :currency, :customerRef, :createdAt,
      :updatedAt)`);
  const insertSegment = db.prepare(`
    INSERT INTO booking_segment (booking_id, position, business_id, service_id, variant_id, addons, staff_id, resources, seats,
      buffer_before_min, buffer_after_min, starts_at, ends_at, price_cents, is_busy)
    VALUES (:bookingId, :position, :businessId, :serviceId, :variantId, :addons, :staffId, :resources, :seats,
      :bufferBeforeMin, :bufferAfterMin, :startsAt, :endsAt, :priceCents, 1)`);
  const cancel = db.prepare(
    "UPDATE booking SET status = 'CANCELLED', updated_at = :now WHERE id = :id",
  );
  const release = db.prepare("UPDATE booking_segment SET is_busy = 0 WHERE booking_id = ?");
  const selectById = db.prepare(
    `SELECT ${COLUMNS} FROM booking WHERE business_id = :businessId AND id = :id`,
  );
  const segments = db.prepare(
    `SELECT ${SEGMENT_COLUMNS} FROM booking_segment WHERE booking_id = ? ORDER BY position`,
  );
  const list = db.prepare(`
    SELECT ${COLUMNS} FROM booking
    WHERE business_id = :businessId AND (:status IS NULL OR status = :status) AND (:before IS NULL OR id < :before)
    ORDER BY id DESC LIMIT :limit`);
  const selectBusy = db.prepare(`
    SELECT service_id AS serviceId, staff_id AS staffId, resources, seats,
      buffer_before_min AS bufferBeforeMin, buffer_after_min AS bufferAfterMin, starts_at AS startsAt, ends_at AS endsAt
    FROM booking_segment
    WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :from AND ends_at <= :until AND starts_at < :to`);
  const selectUpcoming = db.prepare(`
    SELECT booking_id AS id, staff_id AS staffId, starts_at AS startsAt, ends_at AS endsAt
    FROM booking_segment WHERE business_id = :businessId AND is_busy = 1 AND ends_at > :now
    ORDER BY starts_at, booking_id, position`);

  const parseSegment = (raw: unknown): BookedSegment => {
    const row = raw as RawSegment;
    return {
      ...row,
      addons: JSON.parse(row.addons) as BookedSegment["addons"],
      resources: parseResources(row.resources),
    };
  };
  const withSegments = (row: unknown): Booking => {
    const booking = row as Omit<Booking, "segments">;
    return { ...booking, segments: segments.all(booking.id).map(parseSegment) };
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
          addons: JSON.stringify(segment.addons),
          resources: JSON.stringify(segment.resources),
        });
    },

    cancel(id: string, now: number): void {
      cancel.run({ id, now });
      release.run(id);
    },

    findById(businessId: string, id: string): Booking | undefined {
      const row = selectById.get({ businessId, id });
      return row === undefined ? undefined : withSegments(row);
    },

    /** Newest first. */
    list: ({ businessId, status, before }: VisitFilter, limit: number): Booking[] =>
      list
        .all({ businessId, status: status ?? null, before: before ?? null, limit })
        .map(withSegments),

    /** Segments that have not ended, by start time; `id` is the booking's. */
    listUpcomingSegments: (businessId: string, now: number): UpcomingSegment[] =>
      selectUpcoming.all({ businessId, now }) as UpcomingSegment[],

    /** Active segments that overlap the span, buffers excluded, and end by `until`. */
    listBusySegments(
      businessId: string,
      from: number,
      to: number,
      until = Infinity,
    ): BusySegment[] {
      const rows = selectBusy.all({ businessId, from, to, until }) as (Omit<
        BusySegment,
        "resources"
      > & {
        resources: string;
      })[];
      return rows.map((row) => ({
        ...row,
        resources: row.resources === "[]" ? NONE : parseResources(row.resources),
      }));
    },
  };
}
