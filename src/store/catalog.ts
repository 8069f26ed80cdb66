import { type CatalogObjects, emptyObjects, type Kind } from "../domain/catalog.ts";
import type { RowChanges } from "../domain/catalog-diff.ts";
import type { Mark } from "../domain/lens.ts";
import type { Db } from "./database.ts";

export function createCatalogStore(db: Db) {
  const objects = db.prepare("SELECT kind, doc FROM catalog_object WHERE business_id = ? ORDER BY kind, position");
  const marks = db.prepare(
    "SELECT object_id AS objectId, version, updated_at AS updatedAt FROM representation WHERE business_id = ?",
  );
  const removeObject = db.prepare("DELETE FROM catalog_object WHERE id = ?");
  const insertObject = db.prepare(`
    INSERT INTO catalog_object (id, business_id, kind, key, position, doc)
    VALUES (:id, :businessId, :kind, :key, :position, :doc)`);
  const moveObject = db.prepare("UPDATE catalog_object SET position = :position WHERE id = :id");
  const removeMark = db.prepare("DELETE FROM representation WHERE business_id = :businessId AND object_id = :objectId");
  const upsertMark = db.prepare(`
    INSERT INTO representation (business_id, object_id, version, updated_at)
    VALUES (:businessId, :objectId, :version, :updatedAt)
    ON CONFLICT DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`);

  return {
    objects(businessId: string): CatalogObjects {
      const found = emptyObjects();
      for (const row of objects.iterate(businessId) as Iterable<{ kind: Kind; doc: string }>)
        (found[row.kind] as unknown[]).push(JSON.parse(row.doc));
      return found;
    },

    marks(businessId: string): Map<string, Mark> {
      const found = new Map<string, Mark>();
      for (const row of marks.iterate(businessId) as Iterable<Mark & { objectId: string }>)
        found.set(row.objectId, { version: row.version, updatedAt: row.updatedAt });
      return found;
    },

    writeObjects(businessId: string, change: RowChanges): void {
      // Removed first: two objects may have swapped keys, which are unique at every moment.
      for (const id of change.removed) removeObject.run(id);
      for (const row of change.written) removeObject.run(row.id);
      for (const row of change.written) insertObject.run({ ...row, businessId, doc: JSON.stringify(row.doc) });
      for (const { id, position } of change.moved) moveObject.run({ id, position });
    },

    writeMarks(businessId: string, change: { changed: Iterable<string>; removed: Iterable<string> }, mark: Mark): void {
      for (const objectId of change.removed) removeMark.run({ businessId, objectId });
      for (const objectId of change.changed) upsertMark.run({ businessId, objectId, ...mark });
    },
  };
}
