import type { Runtime } from "../app/runtime.ts";
import { isBusy, isStorageFull } from "../store/database.ts";

/** A wall clock that is off by more was set. */
const JUMP_MS = 5000;
/** No attempt is ever put off for longer. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/**
 * Notices when the wall clock is set, and moves what waits with it: what was due in an hour is due in an hour. No storm after a
 * jump forward, and nothing a month late after one back.
 * @param onMoved whoever keeps instants that are not on file yet is told by how much
 */
export function createClockWatch(rt: Runtime, onMoved: (byMs: number) => void = () => {}) {
  let wall = rt.now();
  let monotonic = rt.monotonic();

  return {
    /** @param upTo the number of the last delivery that was there before */
    check(upTo: number): void {
      const [wallNow, monotonicNow] = [rt.now(), rt.monotonic()];
      const byMs = Math.round(wallNow - wall - (monotonicNow - monotonic));
      if (Math.abs(byMs) >= JUMP_MS) {
        // After a jump back also what was due already has come to lie ahead.
        const span = { after: Math.min(wall, wallNow), until: wall + LONGEST_WAIT_MS };
        const move = () => {
          rt.store.due.shiftDueTimes({ ...span, upTo, byMs });
          // What came since is due at once, by whichever clock it came.
          rt.store.due.bringForward(wallNow, wallNow, upTo);
        };
        if (!isDone(move)) return;
        onMoved(byMs);
        rt.log("warn", "The clock was set; what waits was moved with it.", {
          seconds: Math.round(byMs / 1000),
        });
      }
      [wall, monotonic] = [wallNow, monotonicNow];
    },

    /** At the start: what lies further ahead than anything can was put there by a clock that was set since. */
    repair(): void {
      const latest = rt.now() + LONGEST_WAIT_MS;
      if (rt.store.due.hasDueAfter(latest))
        isDone(() => rt.store.due.bringForward(latest, rt.now()));
    },
  };

  /** Else the next one tries again. */
  function isDone(write: () => void): boolean {
    try {
      rt.tx(write);
      return true;
    } catch (error) {
      if (!isBusy(error) && !isStorageFull(error)) throw error;
      return false;
    }
  }
}
