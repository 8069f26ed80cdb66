import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Replaced } from "./rules.ts";
import type { AuditRow } from "../../store/audit.ts";
import { columns, type Db, insertInto } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";

export type CatalogChangeRow = {
  version: number;
  fromVersion: number;
  at: number;
  /** The entry of the change in the audit log; null if the entry has expired. */
  entry: Pick<AuditRow, "via" | "actorId" | "actorName" | "action" | "details"> | null;
};

type NewCatalogChange = {
  businessId: string;
  version: number;
  fromVersion: number;
  at: number;
  auditId: string | null;
  replaced: Replaced;
};

/**
 * Level 1 is the fastest: the default level 3 would save 5 % of the space, but take three times as
 * long.
 */
const compress = (text: string): Buffer =>
  zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

function parse(raw: unknown): CatalogChangeRow {
  const { version, fromVersion, at, details, ...entry } = raw as CatalogChangeRow &
    AuditRow & { details: string | null };
  const parsedEntry =
    details === null
      ? null
      : { ...entry, details: parseJson<AuditRow["details"]>(details, "audit_entry.details") };
  return { version, fromVersion, at, entry: parsedEntry };
}

/**
 * A row for `prune`: the number of a change, whether the change is the newest of its business, and
 * whether it is too young to delete. A change is too young if it, or a previous change of its
 * business, was made at `madeBefore` or later.
 */
type Age = [number: number, isNewest: 0 | 1, isKept: 0 | 1];

export function createCatalogChangeStore(db: Db) {
  const insert = db.prepare(
    insertInto("catalog_change", "business_id, version, from_version, at, audit_id, replaced"),
  );
  const selectNewest = db.prepare(`
    SELECT ${columns("version, from_version, change.at, via, actor_id, actor_name, action, details")}
    FROM catalog_change AS change LEFT JOIN audit_entry ON audit_entry.id = audit_id
    WHERE change.business_id = :businessId ORDER BY version DESC LIMIT :limit`);
  const selectOldestFrom = db
    .prepare(
      "SELECT from_version FROM catalog_change WHERE business_id = ? ORDER BY version LIMIT 1",
    )
    .pluck();
  const selectReplacedBytes = db
    .prepare(
      "SELECT total(length(replaced)) FROM catalog_change WHERE business_id = ? AND version > ?",
    )
    .pluck();
  const selectReplaced = db
    .prepare(
      "SELECT replaced FROM catalog_change WHERE business_id = ? AND version > ? ORDER BY version DESC",
    )
    .pluck();
  const selectAfter = db
    .prepare(`
      SELECT number, version = (
        SELECT max(version) FROM catalog_change AS other
        WHERE other.business_id = catalog_change.business_id),
        at >= :madeBefore OR EXISTS (
          SELECT 1 FROM catalog_change AS older
          WHERE older.business_id = catalog_change.business_id
            AND older.version < catalog_change.version AND older.at >= :madeBefore)
      FROM catalog_change WHERE number > :after ORDER BY number LIMIT :limit`)
    .raw();
  const deleteByNumber = db.prepare("DELETE FROM catalog_change WHERE number = ?");

  return {
    insert: ({ replaced, ...row }: NewCatalogChange) =>
      void insert.run({
        ...row,
        replaced: compress(JSON.stringify(replaced)),
      }),
    /** Lists changes, newest first. */
    list: (businessId: string, limit: number) => selectNewest.all({ businessId, limit }).map(parse),
    /** Returns the version that the oldest change replaced; undefined without changes. */
    findOldestFromVersion: (businessId: string) =>
      selectOldestFrom.get(businessId) as number | undefined,
    /**
     * Returns the total size of the compressed `replaced` values of all changes after a version.
     */
    countReplacedBytes: (businessId: string, version: number) =>
      selectReplacedBytes.get(businessId, version) as number,
    /** Iterates over the `replaced` values of all changes after a version, newest first. */
    *iterateReplacedAfter(businessId: string, version: number): Generator<Replaced> {
      for (const bytes of selectReplaced.iterate(businessId, version) as Iterable<Buffer>)
        yield parseJson(
          zstdDecompressSync(bytes).toString(),
          "catalog_change.replaced",
        ) as Replaced;
    },
    /**
     * Reads up to `limit` changes and deletes the old ones, except the newest change of each
     * business. A change is old if it and all previous changes of its business were made before
     * `madeBefore`. The previous changes matter because the clock may have been set back.
     * @returns the number of the last old change, after which the next call continues; undefined if
     * none of the changes read is old
     */
    prune(after: number, limit: number, madeBefore: number): number | undefined {
      const rows = selectAfter.all({ after, limit, madeBefore }) as Age[];
      const old = rows.filter(([, , isKept]) => !isKept);
      for (const [number, isNewest] of old) if (!isNewest) deleteByNumber.run(number);
      return old.at(-1)?.[0];
    },
  };
}
