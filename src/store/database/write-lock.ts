import { sleep } from "../../platform/sleep.ts";
import { type Db, isSqliteError } from "./db.ts";

export const isBusy = (error: unknown): boolean =>
  isSqliteError(error) && (error.code === "SQLITE_BUSY" || error.code.startsWith("SQLITE_BUSY_"));

/**
 * Delay between two attempts to get the lock. It is equal for all writers, so that none has
 * priority.
 */
export const LOCK_RETRY_MS = 1;
/** How long a connection may write without a break before it takes one. */
const MAX_STREAK_MS = 8;
/** The length of a break: longer than the delay, so that every waiting writer tries during it. */
export const LOCK_BREAK_MS = 2;

/**
 * Begins transactions in fair turns. SQLite's own wait for the lock grows to 100 ms between two
 * attempts. A process that writes in a loop leaves the lock free only for microseconds, and could
 * keep others waiting for seconds.
 * @param timeoutMs how long to wait for another writer before SQLITE_BUSY. With 0, the caller waits
 *   and takes breaks by itself
 */
export function createWriteLock(db: Db, timeoutMs: number, monotonic: () => number) {
  const begin = db.prepare("BEGIN IMMEDIATE");
  let streakStartedAt = -Infinity;
  let releasedAt = -Infinity;

  function takeBreakIfDue(): void {
    const now = monotonic();
    // A caller that has paused for as long as a break begins a new streak.
    if (now - releasedAt >= LOCK_BREAK_MS) streakStartedAt = now;
    else if (now - streakStartedAt >= MAX_STREAK_MS) {
      sleep(LOCK_BREAK_MS);
      streakStartedAt = monotonic();
    }
  }

  function beginWhenFree(): void {
    for (let waitedMs = 0; ; waitedMs += LOCK_RETRY_MS)
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
        sleep(LOCK_RETRY_MS);
      }
  }

  return {
    begin(): void {
      if (timeoutMs === 0) return void begin.run();
      takeBreakIfDue();
      // `beginWhenFree` waits for the lock itself, so SQLite must not wait here. Other statements
      // need the timeout again, for example while the file is recovered.
      db.pragma("busy_timeout = 0");
      try {
        beginWhenFree();
      } finally {
        db.pragma(`busy_timeout = ${timeoutMs}`);
      }
    },
    /** Records since when the lock is free. Call it after the transaction has ended. */
    released: (): void => void (releasedAt = monotonic()),
  };
}
