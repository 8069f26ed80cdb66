import { retryDelayMs } from "./retry-schedule.ts";
import { describeFailure, type Outcome, type OutcomeClass } from "./outcome.ts";

/** The state of a delivery after an attempt. */
export type Settlement =
  | { status: "DELIVERED"; nextAttemptAt: null; deliveredAt: number; error: null }
  | { status: "PENDING"; nextAttemptAt: number; deliveredAt: null; error: string }
  | {
      status: "EXHAUSTED" | "PARKED" | "CORRUPT";
      nextAttemptAt: null;
      deliveredAt: null;
      error: string;
    };

/** For an event whose stored bytes do not match their hash: nothing is sent. */
export const CORRUPT_SETTLEMENT: Settlement = {
  status: "CORRUPT",
  nextAttemptAt: null,
  deliveredAt: null,
  error: "the stored event is damaged",
};

/** Minimum delay for an overloaded receiver, even for early retries. */
const OVERLOADED_DELAY_MS = 60_000;

/**
 * @param step attempts made on the retry schedule, including this one
 * @param random returns 0 <= n < 1
 */
export function settle(
  step: number,
  outcome: Outcome,
  outcomeClass: OutcomeClass,
  now: number,
  random: () => number,
): Settlement {
  if (outcomeClass.kind === "success")
    return { status: "DELIVERED", nextAttemptAt: null, deliveredAt: now, error: null };
  const error = describeFailure(outcome);
  // The endpoint is disabled too.
  if (outcomeClass.kind === "gone")
    return { status: "PARKED", nextAttemptAt: null, deliveredAt: null, error };
  const delayMs = retryDelayMs(step, random());
  if (delayMs === undefined)
    return { status: "EXHAUSTED", nextAttemptAt: null, deliveredAt: null, error };
  // Retry-After replaces the overload delay; the schedule may require a longer one.
  const minDelayMs =
    outcomeClass.retryAfterMs ?? (outcomeClass.isOverloaded ? OVERLOADED_DELAY_MS : 0);
  return {
    status: "PENDING",
    nextAttemptAt: now + Math.max(delayMs, minDelayMs),
    deliveredAt: null,
    error,
  };
}
