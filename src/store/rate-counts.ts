import type { Db } from "./db.ts";

/** `second`: of the wall clock. */
export type RateCountRow = {
  client: string;
  second: number;
  /** Distinguishes the processes that counted. */
  process: number;
  count: number;
};

export function createRateCountStore(db: Db) {
  const upsertCount = db.prepare(`
    INSERT INTO rate_count (second, client, process, count) VALUES (:second, :client, :process, :count)
    ON CONFLICT (second, client, process) DO UPDATE SET count = excluded.count`);
  const selectAll = db.prepare(
    "SELECT client, second, process, count FROM rate_count ORDER BY second",
  );
  const deleteOld = db.prepare("DELETE FROM rate_count WHERE second < ?");
  const deleteEverything = db.prepare("DELETE FROM rate_count");

  return {
    list: () => selectAll.all() as RateCountRow[],
    upsert: (row: RateCountRow) => void upsertCount.run(row),
    deleteBefore: (before: number) => void deleteOld.run(before),
    deleteAll: () => void deleteEverything.run(),
  };
}
