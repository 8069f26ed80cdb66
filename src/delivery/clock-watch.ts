import { MIN_JUMP_MS } from "../app/clock-jumps.ts";
import type { Runtime } from "../app/runtime.ts";
import { MAX_RETRY_AFTER_MS } from "../domain/webhooks/settle.ts";
import { isStorageUnavailable } from "../store/database/storage-error.ts";
import { isBusy } from "../store/database/write-lock.ts";

/** Upper limit of waits: longer than any wait between two attempts. */
const MAX_WAIT_MS = 25 * 3_600_000;

/** A jump of the clock whose shift of the due times could not be stored yet. */
type UnstoredShift = {
  /** The number of the last delivery created before the jump. */
  upTo: number;
  /** The shift that `onShift` has made so far. */
  shiftedMs: number;
  error: unknown;
};

/**
 * Returns a watch that shifts the due times when the wall clock is set. Otherwise a jump forward
 * would send everything at once, and a jump back would delay deliveries by its length.
 * @param onShift shifts times that are not in the database yet
 */
export function createClockWatch(rt: Runtime, onShift: (byMs: number) => void) {
  let wall = rt.now();
  let monotonic = rt.monotonic();
  let unstored: UnstoredShift | undefined;

  return {
    /**
     * Returns the error that kept a shift from being stored; undefined if all due times match the
     * clock. While the error lasts, a delivery that seems due may have to wait, and no due time may
     * be written.
     */
    get error(): unknown {
      return unstored?.error;
    },

    /** @param lastNumber the number of the last delivery created before the jump */
    check(lastNumber: number): void {
      const [wallNow, monotonicNow] = [rt.now(), rt.monotonic()];
      const byMs = Math.round(wallNow - wall - (monotonicNow - monotonic));
      const isJump = Math.abs(byMs) >= MIN_JUMP_MS;
      const shiftedMs = unstored?.shiftedMs ?? 0;
      if (isJump || unstored) onShift((isJump ? byMs : 0) - shiftedMs);
      if (isJump) {
        // Deliveries that were created since the first try already have due times of the new clock,
        // so a later try does not shift them.
        const upTo = unstored?.upTo ?? lastNumber;
        const error = tryWrite(() => storeShift(byMs, wallNow, upTo));
        if (error !== undefined) {
          // The message is logged only once, and only if the disk is full or gone. A locked
          // database is not logged.
          if (isStorageUnavailable(error) && !isStorageUnavailable(unstored?.error))
            rt.log(
              "error",
              "The clock was set, and the new due times cannot be stored, so deliveries are paused.",
            );
          // `wall` and `monotonic` keep their values, so the next check finds the same jump and
          // tries again.
          unstored = { upTo, shiftedMs: byMs, error };
          return;
        }
        rt.log("warn", "The clock was set; due times were shifted by the same amount.", {
          seconds: Math.round(byMs / 1000),
        });
      }
      unstored = undefined;
      [wall, monotonic] = [wallNow, monotonicNow];
    },

    /**
     * Corrects the due times when a worker starts. The clock may have been set back while no worker
     * ran, as on a machine whose clock has no battery. A delivery is due as soon as it is created,
     * so a delivery that has no attempt and is due in the future shows that the clock was set back.
     * The latest such delivery shows by how much.
     */
    repair(): void {
      const { due } = rt.store;
      const untriedAt = due.getUntriedDueAfter(wall);
      if (untriedAt !== null) {
        const span = { after: wall, until: untriedAt + MAX_WAIT_MS, upTo: due.getLastNumber() };
        tryWrite(() => due.shiftDueTimes({ ...span, byMs: wall - untriedAt }));
      }
      const latest = wall + MAX_WAIT_MS;
      if (due.hasDueAfter(latest)) tryWrite(() => due.bringForward(latest, wall));
      // A new worker probes each endpoint that fails at once, so the stored backoffs are cleared. A
      // time for which a receiver asked with Retry-After stays, unless the clock was set back.
      tryWrite(() => rt.store.endpoints.clearBackoffs(wall, wall + MAX_RETRY_AFTER_MS));
    },
  };

  function storeShift(byMs: number, wallNow: number, upTo: number): void {
    // After a jump back, deliveries that were already due lie in the future as well.
    const span = { after: Math.min(wall, wallNow), until: wall + MAX_WAIT_MS };
    rt.store.due.shiftDueTimes({ ...span, upTo, byMs });
    // A delivery with a later number may have been created before or after the jump. If it is due
    // in the future, it is made due now.
    rt.store.due.bringForward(wallNow, wallNow, upTo);
    rt.store.endpoints.shiftBackoffs(byMs);
    rt.store.daemon.saveClockOffset(Math.round(rt.machineClock.offset()));
  }

  /** Returns the error if the database is locked, full or gone. */
  function tryWrite(write: () => void): unknown {
    try {
      rt.tx(write);
      return undefined;
    } catch (error) {
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
      return error;
    }
  }
}
