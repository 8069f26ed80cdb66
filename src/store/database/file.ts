import { statSync } from "node:fs";
import { type Db, isSqliteError } from "./db.ts";
import { assertInstant, assertOnlyRow, findMissingRow } from "./storage-error.ts";
import { findChangedPart, findDamage } from "./schema.ts";

/**
 * A checkpoint begins when the WAL has 16 MB, because a page that has changed several times is then
 * copied to the file only once.
 */
const CHECKPOINT_PAGES = 4000;
/** How long to wait for a reader. Most reads of this program are shorter. */
const READER_TIMEOUT_MS = 1000;
/** Memory for the pages that the connection has read. */
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  /**
   * Empties the write-ahead log. Returns false if another connection's read or write prevents it.
   */
  const emptyLog = (): boolean => {
    const [{ busy }] = db.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    return busy === 0;
  };
  /**
   * Runs `work` with a shorter busy timeout, because one checkpoint may wait as long as the timeout
   * several times.
   */
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
     * none. The check of a file larger than `maxBytes` only compares the schema.
     */
    findDamage(maxBytes: number): string | null {
      // SQLite reads the missing end of the last page as zeros. After a crash, the write-ahead log
      // still has the whole page.
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
    /**
     * Gives a copy of the data a server ID of its own, so that another server can continue with the
     * copy.
     */
    renewServerId: () => void db.prepare("UPDATE server SET id = lower(hex(randomblob(8)))").run(),
    /** Gives the feeds of events a new ID, so that every cursor that a partner has expires. */
    renewFeedId: () =>
      void db.prepare("UPDATE server SET feed_id = lower(hex(randomblob(4)))").run(),
    /** Describes a missing row that every database must have; undefined if none is missing. */
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
    /** Clears the stored time if it is still `at`, so that the time of a later erasure stays. */
    forgetLogKeptSince: (at: number) =>
      void db.prepare("UPDATE server SET log_kept_since = NULL WHERE log_kept_since = ?").run(at),
    /** Returns whether the free space may still contain rows that an earlier deskbell deleted. */
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
     * Stops the automatic checkpoints of this connection, so that its commits never wait for a
     * checkpoint. Other connections run the checkpoints.
     */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
