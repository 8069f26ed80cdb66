import {
  CORRUPT_ERROR,
  describeFailure,
  FORBIDDEN_ERROR,
  STOPPED_ERROR,
  type Outcome,
  type OutcomeClass,
} from "./outcome.ts";

/** PENDING becomes PARKED while the endpoint is disabled. */
export const DELIVERY_STATUSES = [
  "PENDING",
  "DELIVERED",
  "EXHAUSTED",
  "PARKED",
  "CANCELLED",
  "CORRUPT",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type Settlement =
  | { status: "DELIVERED"; nextAttemptAt: null; deliveredAt: number; error: null }
  | { status: "PENDING"; nextAttemptAt: number; deliveredAt: null; error: string }
  | UndeliveredSettlement;

type UndeliveredSettlement = {
  status: "EXHAUSTED" | "PARKED" | "CORRUPT" | "CANCELLED";
  nextAttemptAt: null;
  deliveredAt: null;
  error: string;
};

const undelivered = (
  status: UndeliveredSettlement["status"],
  error: string,
): UndeliveredSettlement => ({ status, nextAttemptAt: null, deliveredAt: null, error });

/** An event whose stored bytes do not match their hash is not sent. */
export const CORRUPT_SETTLEMENT: Settlement = undelivered("CORRUPT", CORRUPT_ERROR);

/** An event that the endpoint's key may no longer receive is not sent. */
export const FORBIDDEN_SETTLEMENT: Settlement = undelivered("CANCELLED", FORBIDDEN_ERROR);

const POSTPONED_MS = 1000;

const postponed = (error: string, now: number): Settlement => ({
  status: "PENDING",
  nextAttemptAt: now + POSTPONED_MS,
  deliveredAt: null,
  error,
});

/** A delivery that could not be sent because of this machine does not use up an attempt. */
export const postpone = (outcome: Outcome, now: number): Settlement =>
  postponed(describeFailure(outcome), now);

/**
 * A delivery whose endpoint or key ended between the claim and the request is not sent.
 * Disabling the endpoint parks it.
 */
export const withdraw = (now: number): Settlement => postponed(STOPPED_ERROR, now);

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
  if (outcomeClass.kind === "gone") return undelivered("PARKED", error);
  const delayMs = retryDelayMs(step, random());
  if (delayMs === undefined) return undelivered("EXHAUSTED", error);
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

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each attempt, including the first: 20 attempts over 8 days. */
export const ATTEMPT_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
  12 * HOUR,
  12 * HOUR,
  ...Array.from({ length: 6 }, () => 24 * HOUR),
];

export const MAX_ATTEMPTS = ATTEMPT_DELAYS_MS.length;

const JITTER_SHARE = 0.2;
const JITTER_MIN_MS = 1 * SECOND;
const JITTER_MAX_MS = 15 * MINUTE;

/**
 * The delay after `attemptsMade` attempts; undefined after the last one.
 * @param random 0 <= random < 1; spreads retries of deliveries that failed together
 */
export function retryDelayMs(attemptsMade: number, random: number): number | undefined {
  const delayMs = ATTEMPT_DELAYS_MS[attemptsMade];
  if (delayMs === undefined) return undefined;
  const jitterMs = Math.min(Math.max(delayMs * JITTER_SHARE, JITTER_MIN_MS), JITTER_MAX_MS);
  return delayMs + Math.floor(jitterMs * random);
}
