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
import { type Db, insertInto, optional } from "./db.ts";
import { parseJson } from "./json.ts";

function parse<K extends Kind>(row: unknown): DocOf[K] {
  const [id, slug, text] = row as [string, string, string];
  const doc = parseJson(text, "catalog_object.doc") as DocOf[K];
  rememberId(doc, slug, id);
  return doc;
}

const parseAuthored = (text: string): DocOf[Kind] => parseJson(text, "catalog_object.authored");

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
  const selectByKeyOrId = selectOfKind("AND (key = :keyOrId OR catalog_object.id = :keyOrId)");
  const selectKeys = db
    .prepare(
      "SELECT key FROM catalog_object WHERE business_id = :businessId AND kind = :kind ORDER BY sort_order",
    )
    .pluck();
  const countKinds = db
    .prepare("SELECT kind, count(*) FROM catalog_object WHERE business_id = ? GROUP BY kind")
    .raw();
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
    /** @param kinds kinds to fill; the others stay empty */
    listObjects(businessId: string, kinds: readonly Kind[] = ALL_KINDS): CatalogObjects {
      const found = emptyObjects();
      const rows = selectObjects.iterate({ businessId, kinds: JSON.stringify(kinds) });
      for (const [id, slug, kind, text] of rows as Iterable<[string, string, Kind, string]>)
        (found[kind] as unknown[]).push(parse([id, slug, text]));
      return found;
    },

    listByKind: <K extends Kind>(businessId: string, kind: K): DocOf[K][] =>
      selectByKind.all({ businessId, kind }).map((row) => parse<K>(row)),

    listByKeys: <K extends Kind>(
      businessId: string,
      kind: K,
      keys: readonly string[],
    ): DocOf[K][] =>
      selectByKeys
        .all({ businessId, kind, keys: JSON.stringify(keys) })
        .map((row) => parse<K>(row)),

    findByKeyOrId: <K extends Kind>(businessId: string, kind: K, keyOrId: string) =>
      optional(selectByKeyOrId.get({ businessId, kind, keyOrId }), (row) => parse<K>(row)),

    listKeys: (businessId: string, kind: Kind) => selectKeys.all({ businessId, kind }) as string[],
    findKey: (objectId: string) => selectKey.get(objectId) as string | undefined,
    findName: (objectId: string) => selectName.get(objectId) as string | undefined,
    findSortOrder: (objectId: string) => selectSortOrder.get(objectId) as number | undefined,
    countByKind: (businessId: string) => new Map(countKinds.all(businessId) as [Kind, number][]),
    findLocalEdit: (objectId: string): DocOf[Kind] | undefined =>
      optional(selectLocalEdit.get(objectId), (text) => parseAuthored(text as string)),

    listSortOrders: (businessId: string): Map<string, number> =>
      new Map(selectSortOrders.iterate(businessId) as Iterable<[string, number]>),

    listLocalEdits(businessId: string): LocalEdits {
      const rows = selectLocalEdits.all(businessId) as [string, string][];
      return new Map(rows.map(([id, authored]) => [id, parseAuthored(authored)]));
    },

    writeObjects(businessId: string, change: RowChanges): void {
      // Delete first: two objects may have swapped keys, and keys are unique at any time.
      for (const id of change.removed) deleteObject.run(id);
      for (const { id, isNew } of change.written) if (!isNew) deleteObject.run(id);
      for (const { id, kind, key, sortOrder, doc } of change.written)
        insertObject.run({ id, businessId, kind, key, sortOrder, doc: JSON.stringify(doc) });
      for (const { id, sortOrder } of change.moved) moveObject.run({ id, sortOrder });
    },

    /** Call it after `writeObjects`, which clears the local edits of the rows it writes. */
    writeLocalEdits(edits: ReadonlyMap<string, DocOf[Kind] | null>): void {
      for (const [id, authored] of edits)
        setAuthored.run({ id, authored: authored && JSON.stringify(authored) });
    },
  };
}
