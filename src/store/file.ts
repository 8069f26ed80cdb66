import type { Db } from "./db.ts";

/** 16 MB: pages that change often are copied from the WAL to the file only once per checkpoint. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  return {
    /** For the connection that writes most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /** Other connections run the checkpoints, so that a commit here never waits for one. */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
