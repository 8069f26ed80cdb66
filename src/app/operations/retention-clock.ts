import { isoSeconds } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * A wall clock that is ahead by less than this is accepted at once: data that are deleted up to an
 * hour too early do no harm, and a restart takes less time.
 */
const MAX_AHEAD_MS = HOUR_MS;
/**
 * Maximum lead of the wall clock that counts as time in which the machine was off. It covers a
 * weekend, and the day that this clock may already have been behind.
 */
const MAX_OFF_MS = 4 * DAY_MS;

/**
 * Returns the clock by which old data are deleted and expired API keys end. If the wall clock were
 * ahead by mistake, data would expire, and deleted data do not return when the wall clock is
 * corrected. If the wall clock is ahead by an hour or more, this clock therefore follows it only
 * after the daemon has run for a day, in which somebody can notice the wrong time. The state is
 * stored, because a restart does not correct the wall clock.
 *
 * The daemon cannot tell whether the machine was off or asleep, or its clock was set. If a machine
 * is off each night, this clock must not fall behind more and more. This clock is therefore at most
 * a day behind a wall clock that is ahead by no more than four days. If such a wall clock is wrong,
 * data are deleted up to three days too early.
 */
export function createRetentionClock(rt: Runtime) {
  const { history } = rt.store;
  const startedAt = rt.now();
  let time: number | undefined;
  /** Monotonic time at which `time` was right. */
  let readAt = rt.monotonic();
  /** How long this process has run while the wall clock was ahead by at most `MAX_OFF_MS`. */
  let aheadByOffMs = 0;

  return {
    /** Compares this clock with the wall clock. Call it before each deletion. */
    update(): void {
      const monotonic = rt.monotonic();
      // The monotonic clock has fractions, which no column of times accepts.
      const elapsedMs = Math.round(monotonic - readAt);
      // If the state cannot be stored, the next update counts the elapsed time again.
      ({ time, aheadByOffMs } = rt.tx(() => {
        const now = rt.now();
        const { retentionAt, clockAheadMs } = history.get();
        const expected = (retentionAt ?? startedAt) + elapsedMs;
        const isAhead = now - expected >= MAX_AHEAD_MS;
        const isFarAhead = now - expected > MAX_OFF_MS;
        const aheadMs = isAhead ? (isFarAhead ? clockAheadMs : aheadByOffMs) + elapsedMs : 0;
        const isAccepted = !isAhead || aheadMs >= DAY_MS;
        if (isFarAhead && clockAheadMs === 0)
          rt.log("info", "The clock is ahead; old data are deleted by the new time in a day.", {
            expected: isoSeconds(expected),
          });
        const behind = isFarAhead ? expected : Math.max(expected, now - DAY_MS);
        const next = isAccepted ? now : behind;
        history.saveRetentionClock(next, isFarAhead && !isAccepted ? aheadMs : 0);
        return { time: next, aheadByOffMs: isFarAhead ? 0 : aheadMs };
      }));
      readAt = monotonic;
    },
    now(): number {
      // Before the first comparison, this clock continues at the time of an earlier process.
      time ??= Math.min(startedAt, history.get().retentionAt ?? startedAt);
      return Math.min(rt.now(), time + Math.floor(rt.monotonic() - readAt));
    },
  };
}
