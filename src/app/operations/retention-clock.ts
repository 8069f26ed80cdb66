import { isoSeconds } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Data that are deleted up to an hour too early do no harm, and a restart takes less time. */
const MAX_AHEAD_MS = HOUR_MS;
/** A machine that is off each night and at weekends, and is a day behind, is not ahead by more. */
const MAX_OFF_MS = 4 * DAY_MS;

/**
 * Returns the clock by which old data are deleted. A wrong clock that is ahead would make them
 * expire, and what is deleted does not return when the clock is corrected. So this clock follows
 * the wall clock forward only after the daemon has run for a day, in which somebody can notice the
 * wrong time. The state is stored, because a restart does not correct a clock.
 *
 * A machine that was off or asleep cannot be told from one whose clock was set. So that a machine
 * which is off each night does not fall behind more and more, this clock is at most a day behind a
 * wall clock that is ahead by no more than four days. If that time is wrong, data are deleted up to
 * three days too early.
 */
export function createRetentionClock(rt: Runtime) {
  const { history } = rt.store;
  let time = rt.now();
  /** Monotonic time at which `time` was right. */
  let readAt = rt.monotonic();
  /** The time for which this process has run while the wall clock was ahead by a night or weekend. */
  let aheadByOffMs = 0;

  return {
    /** Compares this clock with the wall clock. Call it before each deletion. */
    update(): void {
      rt.tx(() => {
        const now = rt.now();
        const monotonic = rt.monotonic();
        // The monotonic clock has fractions, which no column of times accepts.
        const elapsedMs = Math.round(monotonic - readAt);
        const { retentionAt, clockAheadMs } = history.get();
        const expected = (retentionAt ?? now) + elapsedMs;
        const isAhead = now - expected >= MAX_AHEAD_MS;
        const isFarAhead = now - expected > MAX_OFF_MS;
        const aheadMs = isAhead ? (isFarAhead ? clockAheadMs : aheadByOffMs) + elapsedMs : 0;
        const isAccepted = !isAhead || aheadMs >= DAY_MS;
        if (isFarAhead && clockAheadMs === 0)
          rt.log("info", "The clock is ahead; old data are deleted by the new time in a day.", {
            expected: isoSeconds(expected),
          });
        const behind = isFarAhead ? expected : Math.max(expected, now - DAY_MS);
        time = isAccepted ? now : behind;
        readAt = monotonic;
        aheadByOffMs = isFarAhead ? 0 : aheadMs;
        history.saveRetentionClock(time, isFarAhead && !isAccepted ? aheadMs : 0);
      });
    },
    now: (): number => Math.min(rt.now(), time + Math.floor(rt.monotonic() - readAt)),
  };
}
