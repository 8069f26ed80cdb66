import type { Outcome } from "../../../src/domain/webhooks/settle.ts";

// The documented retry schedule, implemented a second time as a test oracle.

// The units are in milliseconds.
const SEC = 1000;
const MIN = 60 * SEC;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
/** The waits after the first attempt, the second, and so on. */
const WAITS = [
  5 * SEC,
  30 * SEC,
  2 * MIN,
  10 * MIN,
  30 * MIN,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
]
  .concat([12 * HOUR, 12 * HOUR])
  .concat(Array.from({ length: 6 }, () => DAY));
const OVERLOADED = [429, 502, 503, 504];

export type WaitRange = { from: number; to: number };

/** Returns the range of waits before the next attempt in milliseconds; undefined after the last. */
export function expectedWait(
  attempts: number,
  outcome: Outcome,
  wall: number,
): (WaitRange & { retryAfterMs?: number }) | undefined {
  const step = WAITS[attempts - 1];
  if (step === undefined) return undefined;
  const jitter = Math.min(Math.max(step / 5, SEC), 15 * MIN);
  const retryAfterMs =
    outcome.kind === "responded" && outcome.retryAfter !== null
      ? parseRetryAfter(outcome.retryAfter, wall)
      : undefined;
  const isOverloaded =
    outcome.kind === "responded"
      ? OVERLOADED.includes(outcome.statusCode)
      : outcome.kind === "timed_out";
  const least = retryAfterMs ?? (isOverloaded ? MIN : 0);
  const wait = { from: Math.max(step, least), to: Math.max(step + jitter, least) };
  return retryAfterMs === undefined ? wait : { ...wait, retryAfterMs };
}

function parseRetryAfter(retryAfter: string, wall: number): number {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SEC : Date.parse(retryAfter) - wall;
  return Math.min(Math.max(0, ms), DAY);
}
