import { loadRateCounts, saveRateCounts } from "../../app/operations/rate-counts.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

export type RateLimits = {
  keys: RateLimiter;
  addresses: RateLimiter;
  /** IPv6 /48s. They are not saved, because an attacker can have any number of them. */
  networks: RateLimiter;
  /** Requests by address to routes without a business. A restart resets them. */
  open: RateLimiter;
  /** Failed authentications by address. A restart resets them. */
  failures: RateLimiter;
  flush: () => void;
};

const KEY_ID = /^key_/;
/** Addresses with fewer requests are not saved: an attacker can have any number of addresses. */
const MIN_SAVED_REQUESTS = 2;
/** Smaller differences are normal clock adjustment. */
const MIN_JUMP_SECONDS = 2;

/**
 * Counts in memory by the monotonic clock and saves by the wall clock, so that a restart loses only
 * the requests counted since the last flush.
 */
export function createRateLimits(rt: Runtime): RateLimits {
  const keys = createRateLimiter();
  const addresses = createRateLimiter();
  // Wall clock minus monotonic clock in milliseconds. Constant until the wall clock is set: small
  // changes would save the requests of one second under two.
  const measureOffset = () => rt.now() - rt.monotonic();
  let offset = measureOffset();
  const process = Math.floor(rt.randomFraction() * 2 ** 32);
  let savedAt = rt.monotonic();
  const saved = loadRateCounts(rt);
  let { shift } = saved;
  for (const [client, rows] of Map.groupBy(saved.rows, (row) => row.client)) {
    const limiter = KEY_ID.test(client) ? keys : addresses;
    const buckets = rows.map(({ second, count }) => {
      // A second of the wall clock overlaps two of the monotonic clock: assume the later one, but
      // never the future.
      const lastAt = Math.min((second + 2) * 1000 - offset, savedAt) - 1;
      return { second: null, lastAt, count };
    });
    limiter.restore(client, buckets);
  }

  return {
    keys,
    addresses,
    networks: createRateLimiter(),
    open: createRateLimiter(),
    failures: createRateLimiter(),
    flush() {
      const startedAt = rt.monotonic();
      const jumpSeconds = Math.round((measureOffset() - offset) / 1000);
      if (Math.abs(jumpSeconds) >= MIN_JUMP_SECONDS) {
        offset += jumpSeconds * 1000;
        shift += jumpSeconds;
      }
      const counts = [
        ...keys.countedSince(savedAt),
        ...addresses.countedSince(savedAt, MIN_SAVED_REQUESTS),
      ].map(({ client, second, count }) => ({
        client,
        second: Math.floor(second + offset / 1000),
        process,
        count,
      }));
      if (counts.length === 0 && shift === 0) return;
      saveRateCounts(rt, counts, shift);
      shift = 0;
      savedAt = startedAt;
    },
  };
}
