import type { BusinessDoc, ScheduleDoc } from "../domain/catalog/catalog.ts";
import type { Db } from "./db.ts";

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
   * Rises by itself with every save: something that a partner could see may differ, if only the tickets left. It never comes
   * again, also not when the business is removed and made anew.
   */
  revision: number;
  /** Epoch ms up to which partners were told what changes by the clock. */
  toldUntil: number;
  /** Epoch ms of the next such change; null: none. */
  nextTransitionAt: number | null;
};

type Raw = Omit<BusinessRow, "doc" | "schedule"> & { doc: string; schedule: string };

const COLUMNS = `id, slug, doc, schedule, catalog_version AS catalogVersion, last_sequence AS lastSequence,
  created_at AS createdAt, updated_at AS updatedAt, revision, told_until AS toldUntil,
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
  // The revision goes on behind that of one that was removed before, under the same id.
  const upsert = db.prepare(`
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at, updated_at, revision,
      told_until, next_transition_at)
    VALUES (:id, :slug, :doc, :schedule, :catalogVersion, :lastSequence, :createdAt, :updatedAt,
      coalesce((SELECT revision + 1 FROM removed_business WHERE id = :id), :createdAt), :toldUntil, :nextTransitionAt)
    ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, schedule = excluded.schedule,
      catalog_version = excluded.catalog_version, updated_at = excluded.updated_at, revision = revision + 1,
      told_until = excluded.told_until, next_transition_at = excluded.next_transition_at`);
  const bumpRevision = db.prepare("UPDATE business SET revision = revision + 1 WHERE id = ?");
  const selectDueForTransition = db.prepare(
    `SELECT ${COLUMNS} FROM business WHERE next_transition_at <= ?`,
  );
  // The only way to a sequence number: it rises within the transaction that uses it.
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
    "SELECT catalog_version AS catalogVersion, last_sequence AS lastSequence FROM removed_business WHERE id = ?",
  );

  return {
    findById: (id: string): BusinessRow | undefined => optional(selectById.get(id), parse),
    findBySlug: (slug: string): BusinessRow | undefined => optional(selectBySlug.get(slug), parse),
    list: (): BusinessRow[] => selectAll.all().map(parse),
    /** Everything but the sequence counter, which `takeSequences` alone moves, and the revision. */
    upsert: (row: Omit<BusinessRow, "revision">): void => void upsert.run(serialise(row)),
    /** The first of `count` fresh, consecutive sequence numbers. */
    allocateSequences: (id: string, count: number): number =>
      (raiseSequence.get({ id, count }) as number) - count + 1,
    /** Something that partners see in an answer has changed, but nothing that they are told. */
    incrementRevision: (id: string): void => void bumpRevision.run(id),
    /** Those in which something has changed by the clock that nobody was told of yet. */
    listDueForTransition: (now: number): BusinessRow[] =>
      selectDueForTransition.all(now).map(parse),
    delete(id: string): void {
      remember.run(id);
      deleteById.run(id);
    },
    /** Where a business begins: new ones with nothing, one that was removed before behind all that partners know of it. */
    getInitialCounters: (id: string): Pick<BusinessRow, "catalogVersion" | "lastSequence"> =>
      (selectRemovedCounters.get(id) as
        | Pick<BusinessRow, "catalogVersion" | "lastSequence">
        | undefined) ?? NOTHING_YET,
  };
}

const NOTHING_YET = { catalogVersion: 0, lastSequence: 0 };

const optional = <T>(raw: unknown, parse: (raw: unknown) => T): T | undefined =>
  raw === undefined ? undefined : parse(raw);
