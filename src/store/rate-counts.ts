import type { Db } from "./database.ts";

/** Requests of one client in one second of the wall clock. */
export type RateCountRow = {
  client: string;
  second: number;
  /** A number of its own for each process that counts. */
  process: number;
  count: number;
};

export function createRateCountStore(db: Db) {
  const set = db.prepare(`
    INSERT INTO rate_count (second, client, process, count) VALUES (:second, :client, :process, :count)
    ON CONFLICT (second, client, process) DO UPDATE SET count = excluded.count`);
  const all = db.prepare("SELECT client, second, process, count FROM rate_count ORDER BY second");
  const forget = db.prepare("DELETE FROM rate_count WHERE second < ?");
  const forgetAll = db.prepare("DELETE FROM rate_count");

  return {
    all: (): RateCountRow[] => all.all() as RateCountRow[],
    set: (row: RateCountRow): void => void set.run(row),
    /** Drops what is older than a second. */
    forget: (before: number): void => void forget.run(before),
    forgetAll: (): void => void forgetAll.run(),
  };
}
