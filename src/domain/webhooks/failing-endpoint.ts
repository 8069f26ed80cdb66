/** The failures of an endpoint since its last 2xx response. */
export type FailureStreak = {
  failingSince: number | null;
  failureCount: number;
  /** The error of the last failed attempt. */
  lastError: string | null;
  /** The first event that failed. */
  failedEventId: string | null;
  /** The number of events that failed, counted up to 2. */
  failedEvents: number;
  warnedAt: number | null;
  /** The first attempt that fails at this time or later disables the endpoint. */
  disableAt: number | null;
};

type StreakAction = { action: "warn" } | { action: "announce"; disableAt: number };

export const NO_STREAK: FailureStreak = {
  failingSince: null,
  failureCount: 0,
  lastError: null,
  failedEventId: null,
  failedEvents: 0,
  warnedAt: null,
  disableAt: null,
};

const DAY_MS = 86_400_000;
/**
 * Fewer than five failures, or less than ten minutes of them, are usual when a receiver restarts.
 */
const WARN_AFTER_MS = 10 * 60_000;
const WARN_FAILURES = 5;
/** A day of failures is enough for a warning, however few attempts were due. */
const WARN_ALWAYS_AFTER_MS = DAY_MS;
const DISABLE_AFTER_MS = 5 * DAY_MS;
const ANNOUNCE_BEFORE_MS = DAY_MS;
/** A single bad event, or a few failures in a quiet week, must not disable an endpoint. */
const MIN_FAILURES_TO_DISABLE = 20;
const MIN_EVENTS_TO_DISABLE = 2;

export function recordFailure(
  streak: FailureStreak,
  { eventId, at, error }: { eventId: string; at: number; error: string },
): FailureStreak {
  const isOtherEvent = streak.failedEventId !== null && streak.failedEventId !== eventId;
  return {
    ...streak,
    failingSince: streak.failingSince ?? at,
    failureCount: streak.failureCount + 1,
    lastError: error,
    failedEventId: streak.failedEventId ?? eventId,
    failedEvents: isOtherEvent ? MIN_EVENTS_TO_DISABLE : Math.max(streak.failedEvents, 1),
  };
}

/**
 * Returns whether a failed attempt at `at` disables the endpoint. Time alone does not disable it,
 * because the receiver may work again before the next attempt.
 */
export const endsInDisabling = ({ disableAt }: FailureStreak, at: number): boolean =>
  disableAt !== null && at >= disableAt;

/** Returns whether the operator has been warned, or is about to be. */
export const needsAttention = (streak: FailureStreak, now: number): boolean =>
  streak.warnedAt !== null ||
  streak.disableAt !== null ||
  nextStreakAction(streak, now) !== undefined;

/**
 * Returns what the operator is told next: a warning, or that the endpoint will be disabled, which
 * is announced at least a day ahead.
 */
export function nextStreakAction(streak: FailureStreak, now: number): StreakAction | undefined {
  const { failingSince, failureCount, failedEvents, warnedAt, disableAt } = streak;
  if (failingSince === null || disableAt !== null) return undefined;
  if (warnedAt === null) {
    const warnAfterMs = failureCount < WARN_FAILURES ? WARN_ALWAYS_AFTER_MS : WARN_AFTER_MS;
    return now >= failingSince + warnAfterMs ? { action: "warn" } : undefined;
  }
  if (failureCount < MIN_FAILURES_TO_DISABLE || failedEvents < MIN_EVENTS_TO_DISABLE)
    return undefined;
  const endsAt = failingSince + DISABLE_AFTER_MS;
  if (now < endsAt - ANNOUNCE_BEFORE_MS) return undefined;
  return { action: "announce", disableAt: Math.max(endsAt, now + ANNOUNCE_BEFORE_MS) };
}

/**
 * The reasons for which nothing is sent to an endpoint for now. With `failing`, the endpoint is
 * probed at growing intervals. With `retry_after`, the receiver asked to get no request before a
 * certain time.
 */
export const BACKOFF_REASONS = ["failing", "retry_after"] as const;
export type BackoffReason = (typeof BACKOFF_REASONS)[number];

export type Backoff = Readonly<{ until: number; reason: BackoffReason }>;

/** The stored backoff of an endpoint, which may have ended. Times are of the wall clock. */
export type StoredBackoff = { heldUntil: number | null; heldReason: BackoffReason | null };

export const NO_BACKOFF: StoredBackoff = { heldUntil: null, heldReason: null };

/** Returns the backoff of an endpoint; NO_BACKOFF once it has ended. */
export const currentBackoff = (
  { heldUntil, heldReason }: StoredBackoff,
  now: number,
): StoredBackoff =>
  heldUntil !== null && heldUntil > now ? { heldUntil, heldReason } : NO_BACKOFF;

type Waiting = {
  nextAttemptAt: number | null;
  /** The end of the stored backoff of the delivery's endpoint. */
  endpointHeldUntil: number | null;
};

/**
 * Returns when a delivery is sent next. `heldUntil` is the same time if the delivery waits for the
 * backoff of its endpoint to end, otherwise null.
 */
export function nextAttemptOf({ nextAttemptAt, endpointHeldUntil }: Waiting, now: number) {
  const isDelayed =
    nextAttemptAt !== null &&
    endpointHeldUntil !== null &&
    endpointHeldUntil > Math.max(now, nextAttemptAt);
  return isDelayed
    ? { nextAttemptAt: endpointHeldUntil, heldUntil: endpointHeldUntil }
    : { nextAttemptAt, heldUntil: null };
}
