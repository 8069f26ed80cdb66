import type { BusinessDoc, ScheduleDoc } from "../domain/catalog/catalog.ts";
import { columns, type Db } from "./db.ts";

export type BusinessRow = {
  id: string;
  slug: string;
  doc: BusinessDoc;
  schedule: ScheduleDoc;
  catalogVersion: number;
  lastSequence: number;
  createdAt: number;
  updatedAt: number;
  /**
   * Rises with every save, because anything that partners see may have changed, even if only the
   * number of tickets left. Never reused, not even if the business is deleted and created again.
   */
  revision: number;
  /** Epoch ms up to which changes caused by time alone have been published. */
  publishedUntil: number;
  /** Epoch ms of the next such change, or null. */
  nextTransitionAt: number | null;
};

type Raw = Omit<BusinessRow, "doc" | "schedule"> & { doc: string; schedule: string };

const COLUMNS = `id, slug, doc, schedule, catalog_version AS catalogVersion, last_sequence AS lastSequence,
  created_at AS createdAt, updated_at AS updatedAt, revision, told_until AS publishedUntil,
  next_transition_at AS nextTransitionAt`;

export function createBusinessStore(db: Db) {
  const parse = (raw: unknown): BusinessRow => {
    const row = raw as Raw;
    return {
      ...row,
      doc: JSON.parse(row.doc) as BusinessDoc,
      schedule: JSON.parse(row.schedule) as ScheduleDoc,
    };
  };
  const serialise = (row: Omit<BusinessRow, "revision">) => ({
    ...row,
    doc: JSON.stringify(row.doc),
    schedule: JSON.stringify(row.schedule),
  });

  const selectById = db.prepare(`SELECT ${COLUMNS} FROM business WHERE id = ?`);
  const selectBySlug = db.prepare(`SELECT ${COLUMNS} FROM business WHERE slug = ?`);
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM business ORDER BY slug`);
  // If a business with this ID was deleted before, its revision continues from there.
  const upsert = db.prepare(`
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at, revision,
      told_until, next_transition_at)
    VALUES (:id, :slug, :doc, :schedule, :catalogVersion, :lastSequence, :createdAt, :updatedAt,
      coalesce((SELECT revision + 1 FROM removed_business WHERE id = :id), :createdAt), :publishedUntil, :nextTransitionAt)
    ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, schedule = excluded.schedule,
      catalog_version = excluded.catalog_version, updated_at = excluded.updated_at, revision = revision + 1,
      told_until = excluded.told_until, next_transition_at = excluded.next_transition_at`);
  const bumpRevision = db.prepare("UPDATE business SET revision = revision + 1 WHERE id = ?");
  const selectDueForTransition = db.prepare(
    `SELECT ${COLUMNS} FROM business WHERE next_transition_at <= ?`,
  );
  // The only source of sequence numbers; called in the transaction that uses them.
  const raiseSequence = db
    .prepare(
      "UPDATE business SET last_sequence = last_sequence + :count WHERE id = :id RETURNING last_sequence",
    )
    .pluck();
  const remember = db.prepare(`
    INSERT OR REPLACE INTO removed_business (id, catalog_version, last_sequence, revision)
    SELECT id, catalog_version, last_sequence, revision FROM business WHERE id = ?`);
  const deleteById = db.prepare("DELETE FROM business WHERE id = ?");
  const selectRemovedCounters = db.prepare(
    `SELECT ${columns("catalog_version, last_sequence")} FROM removed_business WHERE id = ?`,
  );

  return {
    findById: (id: string): BusinessRow | undefined => optional(selectById.get(id), parse),
    findBySlug: (slug: string): BusinessRow | undefined => optional(selectBySlug.get(slug), parse),
    list: (): BusinessRow[] => selectAll.all().map(parse),
    /** Saves all columns except the sequence counter and the revision. */
    upsert: (row: Omit<BusinessRow, "revision">) => void upsert.run(serialise(row)),
    /** Returns the first of `count` new, consecutive sequence numbers. */
    allocateSequences: (id: string, count: number): number =>
      (raiseSequence.get({ id, count }) as number) - count + 1,
    /** For a change that partners see in responses but that has no event. */
    incrementRevision: (id: string) => void bumpRevision.run(id),
    /** Businesses with a due change that is not published yet. */
    listDueForTransition: (now: number): BusinessRow[] =>
      selectDueForTransition.all(now).map(parse),
    delete(id: string): void {
      remember.run(id);
      deleteById.run(id);
    },
    /** The counters for creating a business: 0, or their last values if it existed before. */
    getInitialCounters: (id: string): Pick<BusinessRow, "catalogVersion" | "lastSequence"> =>
      (selectRemovedCounters.get(id) as
        | Pick<BusinessRow, "catalogVersion" | "lastSequence">
        | undefined) ?? ZERO_COUNTERS,
  };
}

const ZERO_COUNTERS = { catalogVersion: 0, lastSequence: 0 };

const optional = <T>(raw: unknown, parse: (raw: unknown) => T): T | undefined =>
  raw === undefined ? undefined : parse(raw);

/** The number of objects of each kind that belong to a business and are deleted with it. */
export type BusinessContents = {
  objects: number;
  keys: number;
  endpoints: number;
  events: number;
  deliveries: number;
  /** Deliveries that are pending or parked. */
  owed: number;
  bookings: number;
  reservations: number;
  orders: number;
};

export function createBusinessContentsStore(db: Db) {
  const count = db.prepare(`
    SELECT
      (SELECT count(*) FROM catalog_object WHERE business_id = :id) AS objects,
      (SELECT count(*) FROM api_key WHERE business_id = :id) AS keys,
      (SELECT count(*) FROM endpoint WHERE business_id = :id AND deleted_at IS NULL) AS endpoints,
      (SELECT count(*) FROM event WHERE business_id = :id) AS events,
      (SELECT coalesce(sum(count), 0) FROM delivery_count WHERE business_id = :id) AS deliveries,
      (SELECT coalesce(sum(count), 0) FROM delivery_count WHERE business_id = :id AND status IN ('PENDING', 'PARKED')) AS owed,
      (SELECT count(*) FROM booking WHERE business_id = :id) AS bookings,
      (SELECT count(*) FROM reservation WHERE business_id = :id) AS reservations,
      (SELECT count(*) FROM ticket_order WHERE business_id = :id) AS orders`);
  return {
    count: (businessId: string) => count.get({ id: businessId }) as BusinessContents,
  };
}
