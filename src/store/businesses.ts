import type { BusinessDoc, ScheduleDoc } from "../domain/catalog/catalog.ts";
import type { SectionEdits } from "../domain/catalog/change/local-edits.ts";
import { columns, type Db, parseOptional } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";

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
   * Rises with every save, because anything that partners see may have changed, except the stock.
   * No revision is ever reused, not even if the business is deleted and created again.
   */
  revision: number;
  /** Rises with every change of the stock: the sold-out marks and the tickets taken. */
  stockRevision: number;
  /** Epoch ms up to which changes caused by time alone have been published. */
  publishedUntil: number;
  /** When the public catalog next changes by time alone (epoch ms); null if it never will. */
  nextTransitionAt: number | null;
};

type Raw = Omit<BusinessRow, "doc" | "schedule"> & { doc: string; schedule: string };

// The column `told_until` has kept the name of an earlier version.
const COLUMNS = `told_until AS publishedUntil, ${columns(`id, slug, doc, schedule, catalog_version,
  last_sequence, created_at, updated_at, revision, stock_revision, next_transition_at`)}`;

export function createBusinessStore(db: Db) {
  const parse = (raw: unknown): BusinessRow => {
    const row = raw as Raw;
    return {
      ...row,
      doc: parseJson(row.doc, "business.doc"),
      schedule: parseJson(row.schedule, "business.schedule"),
    };
  };

  const selectById = db.prepare(`SELECT ${COLUMNS} FROM business WHERE id = ?`);
  const selectBySlug = db.prepare(`SELECT ${COLUMNS} FROM business WHERE slug = ?`);
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM business ORDER BY slug LIMIT ?`);
  // The revision of a business that was deleted before continues from its last value. A new
  // business begins with its time of creation, so that its revisions are new even if an earlier
  // database had a business with this ID.
  const upsert = db
    .prepare(`
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at, revision,
      told_until, next_transition_at)
    VALUES (:id, :slug, :doc, :schedule, :catalogVersion, :lastSequence, :createdAt, :updatedAt,
      coalesce((SELECT revision + 1 FROM removed_business WHERE id = :id), :createdAt), :publishedUntil, :nextTransitionAt)
    ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, schedule = excluded.schedule,
      catalog_version = excluded.catalog_version, updated_at = excluded.updated_at, revision = revision + 1,
      told_until = excluded.told_until, next_transition_at = excluded.next_transition_at
    RETURNING revision`)
    .pluck();
  // The column is named after the schedule, but has the local edits of all sections.
  const selectSectionEdits = db
    .prepare("SELECT authored_schedule FROM business WHERE id = ?")
    .pluck();
  const setSectionEdits = db.prepare(
    "UPDATE business SET authored_schedule = :edits WHERE id = :id AND authored_schedule IS NOT :edits",
  );
  const selectSlugs = db.prepare("SELECT slug FROM business ORDER BY slug").pluck();
  const selectIds = db.prepare("SELECT id, slug FROM business ORDER BY slug");
  const selectDueForTransition = db.prepare(
    `SELECT ${COLUMNS} FROM business WHERE next_transition_at <= ?`,
  );
  // This statement alone allocates sequence numbers, in the transaction that uses them.
  const raiseSequence = db
    .prepare(
      "UPDATE business SET last_sequence = last_sequence + :count WHERE id = :id RETURNING last_sequence",
    )
    .pluck();
  const keepCounters = db.prepare(`
    INSERT OR REPLACE INTO removed_business (id, catalog_version, last_sequence, revision)
    SELECT id, catalog_version, last_sequence, revision FROM business WHERE id = ?`);
  const deleteById = db.prepare("DELETE FROM business WHERE id = ?");
  const selectRemovedCounters = db.prepare(
    `SELECT ${columns("catalog_version, last_sequence")} FROM removed_business WHERE id = ?`,
  );
  const countContents = db.prepare(`SELECT ${selectContents()}`);

  return {
    findById: (id: string) => parseOptional(selectById.get(id), parse),
    findBySlug: (slug: string) => parseOptional(selectBySlug.get(slug), parse),
    /** Lists businesses in the order of their slugs. @param most how many to list; -1 for all */
    list: (most = -1) => selectAll.all(most).map(parse),
    listSlugs: () => selectSlugs.all() as string[],
    /** Lists all businesses without their catalogs, which would take most of the time. */
    listIds: () => selectIds.all() as Pick<BusinessRow, "id" | "slug">[],
    /**
     * Inserts or updates a business. An update leaves the sequence counter and the revision of the
     * stock unchanged. Returns the new revision.
     */
    upsert: (row: Omit<BusinessRow, "revision" | "stockRevision">) =>
      upsert.get({
        ...row,
        doc: JSON.stringify(row.doc),
        schedule: JSON.stringify(row.schedule),
      }) as number,
    /** Returns the first of `count` new, consecutive sequence numbers. */
    allocateSequences: (id: string, count: number): number =>
      (raiseSequence.get({ id, count }) as number) - count + 1,
    /**
     * Returns the sections that have local edits, each as it was in the last catalog file; empty if
     * there are none.
     */
    getSectionEdits: (id: string): SectionEdits =>
      parseJson(
        (selectSectionEdits.get(id) as string | null | undefined) ?? "{}",
        "business.authored_schedule",
      ),
    writeSectionEdits(id: string, edits: SectionEdits): void {
      const isEmpty = Object.keys(edits).length === 0;
      setSectionEdits.run({ id, edits: isEmpty ? null : JSON.stringify(edits) });
    },
    listDueForTransition: (now: number) => selectDueForTransition.all(now).map(parse),
    delete(id: string): void {
      keepCounters.run(id);
      deleteById.run(id);
    },
    /** Returns the counters of a new business: 0, or their last values if it existed before. */
    getInitialCounters: (id: string) =>
      (selectRemovedCounters.get(id) ?? { catalogVersion: 0, lastSequence: 0 }) as Pick<
        BusinessRow,
        "catalogVersion" | "lastSequence"
      >,
    countContents: (id: string) => countContents.get({ id }) as BusinessContents,
  };
}

/**
 * The numbers that are counted for a business. Each value is the part of a SELECT between the word
 * SELECT and the condition of the business.
 */
const CONTENTS = {
  objects: "count(*) FROM catalog_object",
  keys: "count(*) FROM api_key",
  endpoints: "count(*) FILTER (WHERE deleted_at IS NULL) FROM endpoint",
  events: "count(*) FROM event",
  deliveries: "coalesce(sum(count), 0) FROM delivery_count",
  /** Deliveries that are pending or parked. */
  unsentDeliveries:
    "coalesce(sum(count) FILTER (WHERE status IN ('PENDING', 'PARKED')), 0) FROM delivery_count",
  bookings: "count(*) FROM booking",
  reservations: "count(*) FROM reservation",
  orders: "count(*) FROM ticket_order",
};
export type BusinessContents = Record<keyof typeof CONTENTS, number>;

const selectContents = (): string =>
  Object.entries(CONTENTS)
    .map(([name, count]) => `(SELECT ${count} WHERE business_id = :id) AS ${name}`)
    .join(", ");
