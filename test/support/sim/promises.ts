import type { Outcome } from "../../../src/domain/webhooks/outcome.ts";

// The schedule as it is promised, written down a second time.

const SEC = 1000;
const MIN = 60 * SEC;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
/** After the first attempt, the second, and so on. */
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

export type Waited = { from: number; to: number };

/** How long the next attempt waits, in milliseconds; undefined when there is none. */
export function leastWaitOf(
  attempts: number,
  outcome: Outcome,
  wall: number,
): (Waited & { askedMs?: number }) | undefined {
  const step = WAITS[attempts - 1];
  if (step === undefined) return undefined;
  const jitter = Math.min(Math.max(step / 5, SEC), 15 * MIN);
  const asked =
    outcome.kind === "responded" && outcome.retryAfter !== null
      ? hintOf(outcome.retryAfter, wall)
      : undefined;
  const isOverloaded =
    outcome.kind === "responded"
      ? OVERLOADED.includes(outcome.statusCode)
      : outcome.kind === "timed_out";
  const least = asked ?? (isOverloaded ? MIN : 0);
  const waited = { from: Math.max(step, least), to: Math.max(step + jitter, least) };
  return asked === undefined ? waited : { ...waited, askedMs: asked };
}

function hintOf(retryAfter: string, wall: number): number {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SEC : Date.parse(retryAfter) - wall;
  return Math.min(Math.max(0, ms), DAY);
}
