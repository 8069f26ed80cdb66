import { loadRateCounts, saveRateCounts } from "../../app/operations/rate-counts.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

export type RateLimits = {
  keys: RateLimiter;
  addresses: RateLimiter;
  /** Failed attempts by address. A restart forgets them. */
  failures: RateLimiter;
  /** Writes what was counted since the last time. */
  flush: () => void;
};

const KEY_ID = /^key_/;
/** By less the clock is adjusted all the time. */
const JUMP_SECONDS = 2;

/**
 * Counts in memory, on the clock that never jumps, and writes by the wall clock, so that a restart grants no more than what
 * came in after the last flush.
 */
export function createRateLimits(rt: Runtime): RateLimits {
  const keys = createRateLimiter();
  const addresses = createRateLimiter();
  // From the one clock to the other, in milliseconds. It stays until the clock is set, or one second would be written as two.
  const measureOffset = () => rt.now() - rt.monotonic();
  let offset = measureOffset();
  const process = Math.floor(rt.randomFraction() * 2 ** 32);
  let savedAt = rt.monotonic();
  const saved = loadRateCounts(rt);
  let { shift } = saved;
  for (const [client, ofClient] of Map.groupBy(saved.rows, (row) => row.client)) {
    const limiter = KEY_ID.test(client) ? keys : addresses;
    const buckets = ofClient.map(({ second, count }) => {
      // A second of the one clock reaches into two of the other; no later than just now in any case.
      const lastAt = Math.min((second + 2) * 1000 - offset, savedAt) - 1;
      return { second: null, lastAt, count };
    });
    limiter.restore(client, buckets);
  }

  return {
    keys,
    addresses,
    failures: createRateLimiter(),
    flush() {
      const startedAt = rt.monotonic();
      const jumped = Math.round((measureOffset() - offset) / 1000);
      if (Math.abs(jumped) >= JUMP_SECONDS) {
        offset += jumped * 1000;
        shift += jumped;
      }
      const changed = [...keys.countedSince(savedAt), ...addresses.countedSince(savedAt)].map(
        ({ client, second, count }) => ({
          client,
          second: Math.floor(second + offset / 1000),
          process,
          count,
        }),
      );
      if (changed.length === 0 && shift === 0) return;
      saveRateCounts(rt, changed, shift);
      shift = 0;
      savedAt = startedAt;
    },
  };
}
