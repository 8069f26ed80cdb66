import { statSync } from "node:fs";
import { type Db, isSqliteError } from "./db.ts";
import { assertInstant, assertOnlyRow, findMissingRow } from "./storage-error.ts";
import { findChangedPart, findDamage } from "./schema.ts";

/** 16 MB: a page that changes often is copied from the WAL to the file only once per checkpoint. */
const CHECKPOINT_PAGES = 4000;
/** How long to wait for a reader: a read of this program is shorter. */
const READER_TIMEOUT_MS = 1000;
/** Memory for the pages that the connection has read. */
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  /**
   * Empties the write-ahead log. Returns false if a read of another connection, which began earlier
   * and has not ended, prevents it.
   */
  const emptyLog = (): boolean => {
    const [{ busy }] = db.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    return busy === 0;
  };
  /** Runs `work` with a shorter timeout, because a checkpoint waits for it more than once. */
  const withTimeout = <Result>(ms: number, work: () => Result): Result => {
    const before = db.pragma("busy_timeout", { simple: true }) as number;
    db.pragma(`busy_timeout = ${Math.min(ms, before)}`);
    try {
      return work();
    } finally {
      db.pragma(`busy_timeout = ${before}`);
    }
  };
  /** Returns the size of the file; 0 for a database that was read into memory. */
  const size = (): number => (db.memory ? 0 : statSync(db.name).size);
  const isCutOff = (): boolean =>
    size() % (db.pragma("page_size", { simple: true }) as number) !== 0;

  return {
    /**
     * Returns the first problem that SQLite or a comparison of the schema finds; null if there is
     * none. It reads the whole file, unless the file is larger than `maxBytes`.
     */
    findDamage(maxBytes: number): string | null {
      // SQLite takes the missing end of the last page for zeros. After a crash, the write-ahead log
      // has that end.
      if (isCutOff()) emptyLog();
      if (isCutOff()) return "its last page is incomplete";
      return (size() > maxBytes ? findChangedPart(db) : findDamage(db)) ?? null;
    },
    /** Returns the ID of the server, which its backups and restored data have, too. */
    getServerId: () =>
      assertOnlyRow(
        db,
        "server",
        db.prepare("SELECT id FROM server").pluck().get() as string | undefined,
      ),
    /** Gives the data an ID of their own, for a copy with which another server continues. */
    renewServerId: () => void db.prepare("UPDATE server SET id = lower(hex(randomblob(8)))").run(),
    /** Begins new feeds of events: every cursor that was issued before expires. */
    renewFeedId: () =>
      void db.prepare("UPDATE server SET feed_id = lower(hex(randomblob(4)))").run(),
    /** Returns which of the rows that every database has is missing; undefined if none is. */
    findMissingRow: () => findMissingRow(db),
    /**
     * Returns the key check: a text encrypted with the master key that was accepted last. Null if
     * none was accepted yet.
     */
    findKeyCheck: () => db.prepare("SELECT key_check FROM server").pluck().get() as Buffer | null,
    saveKeyCheck: (sealed: Buffer) =>
      void db.prepare("UPDATE server SET key_check = ?").run(sealed),
    /** Tunes the connection that writes most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /**
     * Copies the write-ahead log to the file and truncates the log, unless another connection keeps
     * reading.
     */
    emptyLog: () => withTimeout(READER_TIMEOUT_MS, emptyLog),
    /**
     * Returns since when the write-ahead log may have data of erased guests; null if it has none.
     */
    findLogKeptSince: () =>
      assertInstant(
        db.prepare("SELECT log_kept_since FROM server").pluck().get() ?? null,
        "server.log_kept_since",
      ),
    saveLogKeptSince: (at: number) =>
      void db.prepare("UPDATE server SET log_kept_since = ?").run(at),
    /** Deletes the mark of this erasure. The mark of a later erasure stays. */
    forgetLogKeptSince: (at: number) =>
      void db.prepare("UPDATE server SET log_kept_since = NULL WHERE log_kept_since = ?").run(at),
    /** Returns whether the free space may have rows that an earlier version has deleted. */
    hasOldSpace: () => db.prepare("SELECT has_old_space FROM server").pluck().get() === 1,
    forgetOldSpace: () => void db.prepare("UPDATE server SET has_old_space = 0").run(),
    /** Writes the whole file again, without its free space. Other writers wait meanwhile. */
    rewrite: () => void db.exec("VACUUM"),
    bytes: size,
    /**
     * Empties the log after a long read, during which it has grown. Most of the log is copied while
     * others can write, so that writers wait only while the rest is copied. A later checkpoint
     * copies what cannot be copied now.
     */
    shortenLog(): void {
      try {
        withTimeout(0, () => {
          db.pragma("wal_checkpoint(PASSIVE)");
          emptyLog();
        });
      } catch (error) {
        if (!isSqliteError(error)) throw error;
      }
    },
    /**
     * Stops checkpoints of this connection, so that a commit never waits for one. Other connections
     * run them.
     */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
