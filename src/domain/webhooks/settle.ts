import { retryDelayMs } from "./retry-schedule.ts";
import { describeFailure, classifyOutcome, type Outcome } from "./outcome.ts";

/** Where a delivery stands after an attempt. */
export type Settlement =
  | { status: "DELIVERED"; nextAttemptAt: null; deliveredAt: number; error: null }
  | { status: "PENDING"; nextAttemptAt: number; deliveredAt: null; error: string }
  | {
      status: "EXHAUSTED" | "PARKED" | "CORRUPT";
      nextAttemptAt: null;
      deliveredAt: null;
      error: string;
    };

/** For an event whose stored bytes are no longer those that were stored: nothing is sent. */
export const CORRUPT_SETTLEMENT: Settlement = {
  status: "CORRUPT",
  nextAttemptAt: null,
  deliveredAt: null,
  error: "the stored event is damaged",
};

/** However early the schedule's step: hammering an overloaded receiver would make it worse. */
const OVERLOADED_WAIT_MS = 60_000;

/**
 * @param step how many attempts of its schedule were made, this one included
 * @param random gives 0 <= n < 1
 */
export function settle(
  step: number,
  outcome: Outcome,
  now: number,
  random: () => number,
): Settlement {
  const verdict = classifyOutcome(outcome, now);
  if (verdict.kind === "well")
    return { status: "DELIVERED", nextAttemptAt: null, deliveredAt: now, error: null };
  const error = describeFailure(outcome);
  // With its endpoint, which is disabled for it.
  if (verdict.kind === "gone")
    return { status: "PARKED", nextAttemptAt: null, deliveredAt: null, error };
  const waitMs = retryDelayMs(step, random());
  if (waitMs === undefined)
    return { status: "EXHAUSTED", nextAttemptAt: null, deliveredAt: null, error };
  // What the receiver asks for comes before what its state suggests; the schedule may ask for more.
  const leastMs = verdict.pauseMs ?? (verdict.isOverloaded ? OVERLOADED_WAIT_MS : 0);
  return {
    status: "PENDING",
    nextAttemptAt: now + Math.max(waitMs, leastMs),
    deliveredAt: null,
    error,
  };
}
