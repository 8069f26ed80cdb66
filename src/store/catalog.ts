import type { LocalEdits } from "../domain/catalog/change/local-edits.ts";
import {
  ALL_KINDS,
  type CatalogObjects,
  type DocOf,
  emptyObjects,
  type Kind,
} from "../domain/catalog/catalog.ts";
import { rememberId } from "../domain/catalog/object-id.ts";
import type { RowChanges } from "../domain/catalog/change/diff.ts";
import { type Db, insertInto, parseOptional, columns } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";
import type { ObjectVersion } from "../domain/public/public-context.ts";

/**
 * Returns the document of a row, and remembers its ID, so that the ID need not be computed from the
 * slug of the business.
 */
export function parseDoc<K extends Kind>(row: unknown): DocOf[K] {
  const [id, slug, text] = row as [string, string, string];
  const doc = parseJson(text, "catalog_object.doc") as DocOf[K];
  rememberId(doc, slug, id);
  return doc;
}

/** Parses the document that an object with local edits had in the last catalog file. */
const parseAuthored = (text: string): DocOf[Kind] => parseJson(text, "catalog_object.authored");

function createCounts(db: Db) {
  const countKinds = db
    .prepare("SELECT kind, count(*) FROM catalog_object WHERE business_id = ? GROUP BY kind")
    .raw();
  const selectCountUpTo = db
    .prepare(`
      SELECT count(*) FROM
        (SELECT 1 FROM catalog_object WHERE business_id = :businessId AND kind = :kind LIMIT :limit)`)
    .pluck();

  /** Counts the objects of a kind, and stops at `limit`. */
  const countUpTo = (businessId: string, kind: Kind, limit: number): number =>
    selectCountUpTo.get({ businessId, kind, limit }) as number;

  return {
    hasKind: (businessId: string, kind: Kind): boolean => countUpTo(businessId, kind, 1) > 0,
    countUpTo,
    countByKind: (businessId: string) => new Map(countKinds.all(businessId) as [Kind, number][]),
  };
}

export function createCatalogStore(db: Db) {
  const selectObjects = db
    .prepare(`
      SELECT catalog_object.id, slug, kind, catalog_object.doc
      FROM catalog_object JOIN business ON business.id = business_id
      WHERE business_id = :businessId AND kind IN (SELECT value FROM json_each(:kinds))
      ORDER BY kind, sort_order`)
    .raw();
  const selectOfKind = (where = "") =>
    db
      .prepare(`
        SELECT catalog_object.id, slug, catalog_object.doc
        FROM catalog_object JOIN business ON business.id = business_id
        WHERE business_id = :businessId AND kind = :kind ${where} ORDER BY sort_order`)
      .raw();
  const selectByKind = selectOfKind();
  const selectByKeys = selectOfKind("AND key IN (SELECT value FROM json_each(:keys))");
  const selectMentioning = selectOfKind("AND instr(catalog_object.doc, :text) > 0");
  const selectByKeyOrId = selectOfKind("AND (key = :keyOrId OR catalog_object.id = :keyOrId)");
  const selectKeys = db
    .prepare(
      "SELECT key FROM catalog_object WHERE business_id = :businessId AND kind = :kind ORDER BY sort_order",
    )
    .pluck();
  const selectNames = db.prepare(`
    SELECT key, doc ->> '$.name' AS name FROM catalog_object
    WHERE business_id = :businessId AND kind = :kind ORDER BY sort_order`);
  const selectDocs = db.prepare("SELECT doc FROM catalog_object WHERE business_id = ?").pluck();
  const selectSortOrder = db.prepare("SELECT sort_order FROM catalog_object WHERE id = ?").pluck();
  const selectSortOrders = db
    .prepare("SELECT id, sort_order FROM catalog_object WHERE business_id = ?")
    .raw();
  const selectKey = db.prepare("SELECT key FROM catalog_object WHERE id = ?").pluck();
  const selectName = db.prepare("SELECT doc ->> '$.name' FROM catalog_object WHERE id = ?").pluck();
  const deleteObject = db.prepare("DELETE FROM catalog_object WHERE id = ?");
  const insertObject = db.prepare(
    insertInto("catalog_object", "id, business_id, kind, key, sort_order, doc"),
  );
  const moveObject = db.prepare("UPDATE catalog_object SET sort_order = :sortOrder WHERE id = :id");
  const selectLocalEdits = db
    .prepare(
      "SELECT id, authored FROM catalog_object WHERE business_id = ? AND authored IS NOT NULL",
    )
    .raw();
  const selectLocalEdit = db
    .prepare("SELECT authored FROM catalog_object WHERE id = ? AND authored IS NOT NULL")
    .pluck();
  const setAuthored = db.prepare("UPDATE catalog_object SET authored = :authored WHERE id = :id");

  return {
    ...createCounts(db),

    /** @param kinds the kinds of objects to read; the others stay empty */
    listObjects(businessId: string, kinds: readonly Kind[] = ALL_KINDS): CatalogObjects {
      const found = emptyObjects();
      const rows = selectObjects.iterate({ businessId, kinds: JSON.stringify(kinds) });
      for (const [id, slug, kind, text] of rows as Iterable<[string, string, Kind, string]>)
        (found[kind] as unknown[]).push(parseDoc([id, slug, text]));
      return found;
    },

    listByKind: <K extends Kind>(businessId: string, kind: K): DocOf[K][] =>
      selectByKind.all({ businessId, kind }).map((row) => parseDoc<K>(row)),

    /** Iterates over the objects of a kind in order, so that a caller can stop early. */
    *iterateByKind<K extends Kind>(businessId: string, kind: K): Generator<DocOf[K]> {
      for (const row of selectByKind.iterate({ businessId, kind })) yield parseDoc<K>(row);
    },

    listByKeys: <K extends Kind>(
      businessId: string,
      kind: K,
      keys: readonly string[],
    ): DocOf[K][] =>
      selectByKeys
        .all({ businessId, kind, keys: JSON.stringify(keys) })
        .map((row) => parseDoc<K>(row)),

    findByKeyOrId: <K extends Kind>(businessId: string, kind: K, keyOrId: string) =>
      parseOptional(selectByKeyOrId.get({ businessId, kind, keyOrId }), (row) => parseDoc<K>(row)),

    /** Lists the objects of a kind whose documents contain a value, at any place. */
    listMentioning: <K extends Kind>(businessId: string, kind: K, value: string): DocOf[K][] =>
      selectMentioning
        .all({ businessId, kind, text: JSON.stringify(value) })
        .map((row) => parseDoc<K>(row)),

    /** Iterates over the documents of all kinds, in no particular order. */
    *iterateDocs(businessId: string): Generator<DocOf[Kind]> {
      for (const text of selectDocs.iterate(businessId) as Iterable<string>)
        yield parseJson(text, "catalog_object.doc") as DocOf[Kind];
    },

    listNames: (businessId: string, kind: Kind) =>
      selectNames.all({ businessId, kind }) as { key: string; name: string }[],
    listKeys: (businessId: string, kind: Kind) => selectKeys.all({ businessId, kind }) as string[],
    findKey: (objectId: string) => selectKey.get(objectId) as string | undefined,
    findName: (objectId: string) => selectName.get(objectId) as string | undefined,
    findSortOrder: (objectId: string) => selectSortOrder.get(objectId) as number | undefined,
    /** Returns an object as in the last catalog file; undefined if it has no local edit. */
    findLocalEdit: (objectId: string): DocOf[Kind] | undefined =>
      parseOptional(selectLocalEdit.get(objectId), (text) => parseAuthored(text as string)),

    listSortOrders: (businessId: string): Map<string, number> =>
      new Map(selectSortOrders.iterate(businessId) as Iterable<[string, number]>),

    listLocalEdits(businessId: string): LocalEdits {
      const rows = selectLocalEdits.all(businessId) as [string, string][];
      return new Map(rows.map(([id, authored]) => [id, parseAuthored(authored)]));
    },

    writeObjects(businessId: string, change: RowChanges): void {
      // Rows are deleted first: two objects may have swapped keys, and keys are unique at any time.
      for (const id of change.removed) deleteObject.run(id);
      for (const { id, isNew } of change.written) if (!isNew) deleteObject.run(id);
      for (const { id, kind, key, sortOrder, doc } of change.written)
        insertObject.run({ id, businessId, kind, key, sortOrder, doc: JSON.stringify(doc) });
      for (const { id, sortOrder } of change.renumbered) moveObject.run({ id, sortOrder });
    },

    /**
     * Stores local edits; null clears an edit. Call it after `writeObjects`, which clears the local
     * edits of the rows that it writes.
     */
    writeLocalEdits(edits: ReadonlyMap<string, DocOf[Kind] | null>): void {
      for (const [id, authored] of edits)
        setAuthored.run({ id, authored: authored && JSON.stringify(authored) });
    },
  };
}

/** Stores when the public representation of each catalog object last changed. */
export function createObjectVersionStore(db: Db) {
  const selectAll = db
    .prepare("SELECT object_id, version, updated_at FROM representation WHERE business_id = ?")
    .raw();
  const selectOne = db.prepare(
    `SELECT ${columns("version, updated_at")} FROM representation
     WHERE business_id = :businessId AND object_id = :objectId`,
  );
  const remove = db.prepare(
    "DELETE FROM representation WHERE business_id = :businessId AND object_id = :objectId",
  );
  const upsert = db.prepare(`
    INSERT INTO representation (business_id, object_id, version, updated_at)
    VALUES (:businessId, :objectId, :version, :updatedAt)
    ON CONFLICT DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`);

  return {
    find: (businessId: string, objectId: string) =>
      selectOne.get({ businessId, objectId }) as ObjectVersion | undefined,

    list(businessId: string): Map<string, ObjectVersion> {
      const found = new Map<string, ObjectVersion>();
      const rows = selectAll.iterate(businessId) as Iterable<[string, number, number]>;
      // Most objects were last changed together, so they share one value, which saves memory.
      let last: ObjectVersion = { version: 0, updatedAt: 0 };
      for (const [id, version, updatedAt] of rows) {
        if (version !== last.version || updatedAt !== last.updatedAt) last = { version, updatedAt };
        found.set(id, last);
      }
      return found;
    },

    write(
      businessId: string,
      change: { changed: Iterable<string>; removed: Iterable<string> },
      version: ObjectVersion,
    ): void {
      for (const objectId of change.removed) remove.run({ businessId, objectId });
      for (const objectId of change.changed) upsert.run({ businessId, objectId, ...version });
    },
  };
}

export function createSoldOutStore(db: Db) {
  const selectAll = db.prepare("SELECT object_id, until FROM sold_out WHERE business_id = ?").raw();
  const upsertRow = db.prepare(`
    INSERT INTO sold_out (business_id, object_id, until) VALUES (:businessId, :objectId, :until)
    ON CONFLICT DO UPDATE SET until = excluded.until`);
  const deleteRow = db.prepare(
    "DELETE FROM sold_out WHERE business_id = :businessId AND object_id = :objectId",
  );
  const deletePassed = db.prepare(
    "DELETE FROM sold_out WHERE business_id = :businessId AND until <= :now",
  );

  return {
    /**
     * Maps the ID of a dish or option to the epoch ms until which it is sold out; null for no end.
     */
    list: (businessId: string) => new Map(selectAll.all(businessId) as [string, number | null][]),
    upsert: (businessId: string, objectId: string, until: number | null) =>
      void upsertRow.run({ businessId, objectId, until }),
    delete: (businessId: string, objectId: string) => void deleteRow.run({ businessId, objectId }),
    deleteExpired: (businessId: string, now: number) => void deletePassed.run({ businessId, now }),
  };
}

/** The minimum time between two events about the tickets left of one public event. */
const INTERVAL_MS = 10_000;

export type DueAvailability = { businessId: string; eventId: string };

export function createEventAvailabilityStore(db: Db) {
  // A change that already waits keeps its due time. If `sent_at` is after now, the clock has been
  // set back since, so the current time is used instead.
  const markChanged = db.prepare(`
    INSERT INTO event_availability (event_id, business_id, due_at) VALUES (:eventId, :businessId, :now)
    ON CONFLICT DO UPDATE SET due_at = coalesce(due_at, max(:now, min(sent_at, :now) + ${INTERVAL_MS}))`);
  // A due time further ahead than the interval was stored before the clock was set back, so it is
  // due, too.
  const selectDue = db.prepare(`
    SELECT ${columns("business_id, event_id")} FROM event_availability
    WHERE due_at IS NOT NULL AND (due_at <= :now OR due_at > :now + ${INTERVAL_MS})
    ORDER BY business_id, due_at`);
  const markSent = db.prepare(
    "UPDATE event_availability SET due_at = NULL, sent_at = :now WHERE event_id = :eventId",
  );
  const deleteSent = db.prepare(
    `DELETE FROM event_availability WHERE due_at IS NULL AND sent_at <= :now - ${INTERVAL_MS}`,
  );

  return {
    /**
     * Marks a public event as changed: the change is due now, or ten seconds after the last change
     * that was sent.
     */
    markChanged: (businessId: string, eventId: string, now: number) =>
      void markChanged.run({ businessId, eventId, now }),
    listDue: (now: number) => selectDue.all({ now }) as DueAvailability[],
    markSent: (eventId: string, now: number) => void markSent.run({ eventId, now }),
    /** Deletes the rows that no longer delay the next change, such as those of deleted events. */
    deleteSent: (now: number) => void deleteSent.run({ now }),
  };
}
