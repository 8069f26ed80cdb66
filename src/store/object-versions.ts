import type { ObjectVersion } from "../domain/public/public-context.ts";
import { columns, type Db } from "./db.ts";

/** When the public representation of each catalog object last changed. */
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
      // Most objects were last changed together: they share one value, to save memory.
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
