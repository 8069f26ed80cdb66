import type { Db } from "./db.ts";

/** 16 MB: pages that change often are copied from the WAL to the file only once per checkpoint. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  // Free pages do not count: SQLite reuses them before the file grows.
  const selectUsedBytes = db
    .prepare(`
      SELECT (page_count - freelist_count) * page_size
      FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`)
    .pluck();

  return {
    getUsedBytes: () => selectUsedBytes.get() as number,
    /** For the connection that writes most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /** Other connections run the checkpoints, so that a commit here never waits for one. */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
