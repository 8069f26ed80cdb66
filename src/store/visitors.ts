import type { Db } from "./db.ts";

export type VisitorActionKind = "visit" | "order";

export function createVisitorStore(db: Db) {
  const insert = db.prepare(
    "INSERT INTO visitor_action (visitor, kind, made_at) VALUES (:visitor, :kind, :at)",
  );
  const count = db
    .prepare(
      "SELECT count(*) FROM visitor_action WHERE visitor = :visitor AND kind = :kind AND made_at > :since",
    )
    .pluck();
  const deleteActions = db.prepare("DELETE FROM visitor_action WHERE made_at <= ?");
  const forgetHolds = db.prepare(
    "UPDATE hold SET visitor = NULL WHERE visitor IS NOT NULL AND created_at <= ?",
  );

  return {
    insertAction: (visitor: Buffer, kind: VisitorActionKind, at: number) =>
      void insert.run({ visitor, kind, at }),
    countActions: (visitor: Buffer, kind: VisitorActionKind, since: number) =>
      count.get({ visitor, kind, since }) as number,
    /** Deletes what is known of visitors from `until` or earlier. The holds stay. */
    deleteUntil(until: number): void {
      deleteActions.run(until);
      forgetHolds.run(until);
    },
  };
}
