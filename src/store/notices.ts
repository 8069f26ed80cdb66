import type { Db } from "./db.ts";

/** Notices until the feature that sends them takes them. */
export function createNoticeStore(db: Db) {
  const upsert = db.prepare(
    "INSERT OR REPLACE INTO alert_state (kind, key, value) VALUES ('notice', ?, ?)",
  );

  return {
    put: (key: string, notice: unknown): void => void upsert.run(key, JSON.stringify(notice)),
  };
}
