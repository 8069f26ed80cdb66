import { statSync } from "node:fs";
import { type Db, isSqliteError } from "./db.ts";
import { assertInstant, assertOnlyRow, findMissingRow } from "./storage-error.ts";
import { findChangedPart, findDamage } from "./schema.ts";

/** 16 MB: pages that change often are copied from the WAL to the file only once per checkpoint. */
const CHECKPOINT_PAGES = 4000;
/** A read of this program is shorter. */
const READER_TIMEOUT_MS = 1000;
const CACHE_KIB = 16 * 1024;

export function createFileStore(db: Db) {
  /** Returns false if another connection prevents it: its read began earlier and has not ended. */
  const emptyLog = (): boolean => {
    const [{ busy }] = db.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    return busy === 0;
  };
  /** SQLite waits for a reader more than once. */
  const withTimeout = <Result>(ms: number, work: () => Result): Result => {
    const before = db.pragma("busy_timeout", { simple: true }) as number;
    db.pragma(`busy_timeout = ${Math.min(ms, before)}`);
    try {
      return work();
    } finally {
      db.pragma(`busy_timeout = ${before}`);
    }
  };
  /** 0 for a database that was read into memory. */
  const size = (): number => (db.memory ? 0 : statSync(db.name).size);
  const isCutOff = (): boolean =>
    size() % (db.pragma("page_size", { simple: true }) as number) !== 0;

  return {
    /**
     * Returns the first problem of the schema, or that SQLite finds, or null. It reads the whole
     * file, unless the file is larger than `maxBytes`.
     */
    findDamage(maxBytes: number): string | null {
      // SQLite takes the missing end of the last page for zeros. After a crash, the log has it.
      if (isCutOff()) emptyLog();
      if (isCutOff()) return "its last page is incomplete";
      return (size() > maxBytes ? findChangedPart(db) : findDamage(db)) ?? null;
    },
    /** The ID of the server; that of its backups and of what is restored from them, too. */
    getServerId: () =>
      assertOnlyRow(
        db,
        "server",
        db.prepare("SELECT id FROM server").pluck().get() as string | undefined,
      ),
    /** A copy of the data gets an ID of its own if another server continues with them as well. */
    renewServerId: () => void db.prepare("UPDATE server SET id = lower(hex(randomblob(8)))").run(),
    /** Returns what is missing of the rows that every database has; undefined if none is. */
    findMissingRow: () => findMissingRow(db),
    /** Encrypted with the master key that the last rotation created; null without a rotation. */
    findKeyCheck: () => db.prepare("SELECT key_check FROM server").pluck().get() as Buffer | null,
    saveKeyCheck: (sealed: Buffer) =>
      void db.prepare("UPDATE server SET key_check = ?").run(sealed),
    /** Tunes the connection that writes most. */
    tuneForWriting(): void {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.pragma(`cache_size = -${CACHE_KIB}`);
    },
    /** Copies the log to the file and truncates it, unless another connection keeps reading. */
    emptyLog: () => withTimeout(READER_TIMEOUT_MS, emptyLog),
    /** Returns when guests were erased whose data the log may still have; null if it has none. */
    findLogKeptSince: () =>
      assertInstant(
        db.prepare("SELECT log_kept_since FROM server").pluck().get() ?? null,
        "server.log_kept_since",
      ),
    saveLogKeptSince: (at: number) =>
      void db.prepare("UPDATE server SET log_kept_since = ?").run(at),
    /** A later erasure keeps its own mark. */
    forgetLogKeptSince: (at: number) =>
      void db.prepare("UPDATE server SET log_kept_since = NULL WHERE log_kept_since = ?").run(at),
    /** Whether the free space may have rows that an earlier version has deleted. */
    hasOldSpace: () => db.prepare("SELECT has_old_space FROM server").pluck().get() === 1,
    forgetOldSpace: () => void db.prepare("UPDATE server SET has_old_space = 0").run(),
    /** Writes the whole file again, without its free space. Other writers wait meanwhile. */
    rewrite: () => void db.exec("VACUUM"),
    bytes: size,
    /**
     * Empties the log after a long read, during which it has grown. Other writers wait only for the
     * last of it. What cannot be copied now is copied by a later checkpoint.
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
    /** Other connections run the checkpoints, so that a commit here never waits for one. */
    disableCheckpoints: () => void db.pragma("wal_autocheckpoint = 0"),
  };
}
