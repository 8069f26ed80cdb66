import type { Db } from "./db.ts";

/** 16 MB: pages that change often are copied from the WAL to the file only once per checkpoint. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  return {
    /**
     * Returns the first problem that SQLite finds, or null. It reads the whole file, unless the
     * file is larger than `maxBytes`.
     */
    findDamage(maxBytes: number): string | null {
      const size = db
        .prepare("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        .pluck();
      if ((size.get() as number) > maxBytes) return null;
      const result = db.pragma("quick_check(1)", { simple: true }) as string;
      return result === "ok" ? null : result;
    },
    /** The ID of the server; that of its backups and of what is restored from them, too. */
    getServerId: () => db.prepare("SELECT id FROM server").pluck().get() as string,
    /** For the connection that writes most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /** Runs `work`; what it deletes or replaces is overwritten with zeros. */
    overwriteDeleted(work: () => void): void {
      const before = db.pragma("secure_delete", { simple: true }) as number;
      db.pragma("secure_delete = 1");
      try {
        work();
      } finally {
        db.pragma(`secure_delete = ${before}`);
      }
    },
    /** Copies the log to the file and truncates it, unless another connection is reading. */
    emptyLog: () => void db.pragma("wal_checkpoint(TRUNCATE)"),
    /** Other connections run the checkpoints, so that a commit here never waits for one. */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
