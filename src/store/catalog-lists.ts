import type { Kind } from "../domain/catalog/catalog.ts";
import type { DocRow } from "../domain/catalog/doc-list.ts";
import { parseDoc } from "./catalog.ts";
import { type Db, insertInto, LISTED } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";

/** The number of latest revisions of a business for which the changed objects are stored. */
const KEPT_PATCHES = 128;
/**
 * Up to this number of changed objects are read by their IDs. If more objects have changed, reading
 * the whole lists takes about as long.
 */
const MAX_PATCHED_OBJECTS = 1000;

function parseRow<K extends Kind>(row: unknown): DocRow<K> {
  const [, , , sortOrder] = row as [string, string, string, number];
  return { doc: parseDoc<K>(row), sortOrder };
}

/** Reads the lists that processes cache, and stores which objects each revision changes. */
export function createCatalogListStore(db: Db) {
  const select = (condition: string) =>
    db
      .prepare(`
        SELECT catalog_object.id, slug, catalog_object.doc, sort_order
        FROM catalog_object JOIN business ON business.id = business_id
        WHERE ${condition}`)
      .raw();
  const selectInOrder = select("business_id = :businessId AND kind = :kind ORDER BY sort_order");
  const selectNextByKey = select(
    "business_id = :businessId AND kind = :kind AND key > :after ORDER BY key LIMIT :limit",
  );
  // The plus keeps SQLite from reading all objects of the business to find a few of them.
  const selectByIds = select(`catalog_object.id IN ${LISTED} AND +business_id = :businessId`);
  const insertPatch = db.prepare(insertInto("catalog_patch", "business_id, revision, object_ids"));
  const deletePatches = db.prepare(
    "DELETE FROM catalog_patch WHERE business_id = :businessId AND revision <= :until",
  );
  const selectPatches = db
    .prepare(`
      SELECT object_ids FROM catalog_patch
      WHERE business_id = :businessId AND revision > :after AND revision <= :until`)
    .pluck();

  return {
    /** Lists the objects of a kind in order. */
    list: <K extends Kind>(businessId: string, kind: K): DocRow<K>[] =>
      Array.from(selectInOrder.iterate({ businessId, kind }), (row) => parseRow<K>(row)),

    /** Lists the next objects of a kind after a key, in order of their keys. */
    listNextByKey: <K extends Kind>(
      businessId: string,
      kind: K,
      after: string,
      limit: number,
    ): DocRow<K>[] =>
      selectNextByKey.all({ businessId, kind, after, limit }).map((row) => parseRow<K>(row)),

    /** Returns the objects with the given IDs, by ID. */
    listByIds<K extends Kind>(businessId: string, ids: readonly string[]): Map<string, DocRow<K>> {
      const rows = selectByIds.all({ businessId, ids: JSON.stringify(ids) }) as [string][];
      return new Map(rows.map((row) => [row[0], parseRow<K>(row)]));
    },

    /** Stores which objects a revision wrote, moved or removed, unless they are many. */
    insertPatch(businessId: string, revision: number, objectIds: readonly string[]): void {
      if (objectIds.length > MAX_PATCHED_OBJECTS) return;
      insertPatch.run({ businessId, revision, objectIds: JSON.stringify(objectIds) });
      deletePatches.run({ businessId, until: revision - KEPT_PATCHES });
    },

    /**
     * Returns the IDs of the objects that the revisions after `after` changed, up to `until`.
     * Returns undefined if a revision is not stored, or if reading the whole lists is as fast.
     */
    findChangedAfter(businessId: string, after: number, until: number): Set<string> | undefined {
      if (until - after > KEPT_PATCHES) return undefined;
      const patches = selectPatches.all({ businessId, after, until }) as string[];
      if (patches.length < until - after) return undefined;
      const ids = new Set(
        patches.flatMap((text) => parseJson<string[]>(text, "catalog_patch.object_ids")),
      );
      return ids.size > MAX_PATCHED_OBJECTS ? undefined : ids;
    },
  };
}
