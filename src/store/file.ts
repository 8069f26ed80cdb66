import type { Db } from "./db.ts";

/** Pages that are written again and again reach the file once in 16 MB of log. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 16 * 1024;

/** The file as a whole. */
export function createFileStore(db: Db) {
  // The free pages are filled again before the file grows.
  const selectUsedBytes = db
    .prepare(`
      SELECT (page_count - freelist_count) * page_size
      FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`)
    .pluck();

  return {
    getUsedBytes: (): number => selectUsedBytes.get() as number,
    /** For the connection that writes the most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /** Leaves it to other connections to bring the log back into the file: a commit of this one never waits for that. */
    disableCheckpoints: (): void => void db.pragma("wal_autocheckpoint = 0"),
  };
}
