import type { Actor, AuditAction } from "../domain/audit.ts";
import { minIdAt } from "../domain/ids.ts";
import { columns, type Db, insertInto, matching } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";

export type AuditRow = {
  /** IDs rise with time. */
  id: string;
  at: number;
  via: Actor["via"];
  actorId: string;
  actorName: string | null;
  address: string | null;
  action: AuditAction;
  subjectId: string | null;
  subjectName: string;
  businessId: string | null;
  details: Record<string, unknown>;
};

export type AuditFilter = {
  businessId?: string | undefined;
  /** The ID or name of the actor. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  /**
   * The ID of a booking, reservation or order. Selects its entries, and the exports and erasures of
   * its guest.
   */
  visit?: string | undefined;
  /** Epoch ms, inclusive. */
  since?: number | undefined;
  /** Epoch ms, exclusive. */
  until?: number | undefined;
  /** Selects IDs below this one. */
  before?: string | undefined;
};

const CONDITIONS: Record<keyof AuditFilter, string> = {
  businessId: "business_id = :businessId",
  actor: ":actor IN (actor_id, actor_name)",
  action: "action = :action",
  visit:
    "(subject_id = :visit OR EXISTS (SELECT 1 FROM json_each(details, '$.visitIds') WHERE value = :visit))",
  since: "at >= :since",
  until: "at < :until",
  before: "id < :before",
};

const COLUMNS =
  "id, at, via, actor_id, actor_name, address, action, subject_id, subject_name, business_id, details";

const parse = (raw: unknown): AuditRow => {
  const row = raw as Omit<AuditRow, "details"> & { details: string };
  return { ...row, details: parseJson(row.details, "audit_entry.details") };
};

/**
 * Stores the audit log. Triggers reject every UPDATE, and the DELETE of an entry that has not
 * expired.
 */
export function createAuditStore(db: Db) {
  const insert = db.prepare(insertInto("audit_entry", COLUMNS));
  const raiseKeptSince = db.prepare(
    "UPDATE audit_retention SET kept_since = max(kept_since, :before)",
  );
  // The range of `id` spares a scan of the audit log, because IDs begin with a time.
  const deleteExpired = db.prepare("DELETE FROM audit_entry WHERE id < :minId AND at < :before");

  const selectKeptSince = db.prepare("SELECT kept_since FROM audit_retention").pluck();
  const setKeptSince = db.prepare("UPDATE audit_retention SET kept_since = ?");
  const deleteById = db.prepare("DELETE FROM audit_entry WHERE id = ?");

  return {
    /** Adds an entry. A trigger ignores an entry that the audit log already has. */
    insert: (row: AuditRow) => void insert.run({ ...row, details: JSON.stringify(row.details) }),
    /** Lists entries, the newest first. */
    list: (filter: AuditFilter, limit: number): AuditRow[] =>
      db
        .prepare(`
          SELECT ${columns(COLUMNS)} FROM audit_entry WHERE ${matching(CONDITIONS, filter)}
          ORDER BY id DESC LIMIT :limit`)
        .all({ ...filter, limit })
        .map(parse),
    /** Replaces the entries that have the same IDs as these rows. Call it in a transaction. */
    replace(rows: readonly AuditRow[]): void {
      // A trigger rejects a DELETE of entries from `kept_since` on, so the limit is raised
      // meanwhile.
      const keptSince = selectKeptSince.get();
      setKeptSince.run(Number.MAX_SAFE_INTEGER);
      for (const { id } of rows) deleteById.run(id);
      setKeptSince.run(keptSince);
      for (const row of rows) insert.run({ ...row, details: JSON.stringify(row.details) });
    },
    deleteBefore(before: number): void {
      raiseKeptSince.run({ before });
      deleteExpired.run({ before, minId: minIdAt("aud", before) });
    },
  };
}
