import { columns, type Db } from "./db.ts";
import { assertOnlyRow } from "./only-rows.ts";

type HistoryRow = {
  /** Estimated size of all events, deliveries, attempts and catalog changes. */
  bytes: number;
  /** Epoch ms of the newest event deleted because of the size before its days were up. */
  cutUntil: number | null;
  /** The budget of the daemon that was started last; null if there was none. */
  keepDays: number | null;
  maxBytes: number | null;
};

export function createHistoryStore(db: Db) {
  const select = db.prepare(
    `SELECT ${columns("bytes, cut_until, keep_days, max_bytes")} FROM history`,
  );
  const selectOldest = db.prepare("SELECT created_at FROM event ORDER BY rowid LIMIT 1").pluck();
  const updateBudget = db.prepare(
    "UPDATE history SET keep_days = :keepDays, max_bytes = :maxBytes",
  );
  const updateCutUntil = db.prepare("UPDATE history SET cut_until = ?");

  return {
    get: () => assertOnlyRow(db, "history", select.get() as HistoryRow | undefined),
    /** When the oldest event was created, or null if there is none. */
    getOldestAt: (): number | null => (selectOldest.get() as number | undefined) ?? null,
    saveBudget: (budget: { keepDays: number; maxBytes: number }) => void updateBudget.run(budget),
    saveCutUntil: (at: number) => void updateCutUntil.run(at),
  };
}
