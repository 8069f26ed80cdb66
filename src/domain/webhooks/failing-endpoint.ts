/** The failures of an endpoint since its last 2xx response. */
export type FailureStreak = {
  failingSince: number | null;
  failureCount: number;
  /** The error of the last failed attempt. */
  lastError: string | null;
  /** The first event that failed. */
  failedEventId: string | null;
  /** Number of events that failed: 0, 1, or 2 for two or more. */
  failedEvents: number;
  /** When the operator was warned. */
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
const NOTICE_MS = DAY_MS;
/** A single bad event, or a few failures in a quiet week, must not disable an endpoint. */
const MIN_FAILURES = 20;
const MIN_EVENTS = 2;

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
    failedEvents: isOtherEvent ? MIN_EVENTS : Math.max(streak.failedEvents, 1),
  };
}

/**
 * Returns whether a failed attempt at `at` disables the endpoint. Time alone does not disable it:
 * the receiver may work again, while no attempt has been due.
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
  if (failureCount < MIN_FAILURES || failedEvents < MIN_EVENTS) return undefined;
  const endsAt = failingSince + DISABLE_AFTER_MS;
  if (now < endsAt - NOTICE_MS) return undefined;
  return { action: "announce", disableAt: Math.max(endsAt, now + NOTICE_MS) };
}

/**
 * Why nothing is sent to an endpoint for now. `failing`: the endpoint is probed at growing
 * intervals. `retry_after`: the receiver requested a pause.
 */
export const HOLD_REASONS = ["failing", "retry_after"] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export type Hold = Readonly<{ until: number; reason: HoldReason }>;

/** The stored pause of an endpoint, which may have ended. Times are of the wall clock. */
export type StoredHold = { heldUntil: number | null; heldReason: HoldReason | null };

export const NO_HOLD: StoredHold = { heldUntil: null, heldReason: null };

/** Returns the pause of an endpoint; NO_HOLD once it has ended. */
export const currentHold = ({ heldUntil, heldReason }: StoredHold, now: number): StoredHold =>
  heldUntil !== null && heldUntil > now ? { heldUntil, heldReason } : NO_HOLD;

type Waiting = {
  nextAttemptAt: number | null;
  /** The end of the stored pause of the delivery's endpoint. */
  endpointHeldUntil: number | null;
};

/**
 * Returns when a delivery is sent next. `heldUntil` is the same time if the delivery waits for the
 * pause of its endpoint to end, otherwise null.
 */
export function nextAttemptOf({ nextAttemptAt, endpointHeldUntil }: Waiting, now: number) {
  const isHeld =
    nextAttemptAt !== null &&
    endpointHeldUntil !== null &&
    endpointHeldUntil > Math.max(now, nextAttemptAt);
  return isHeld
    ? { nextAttemptAt: endpointHeldUntil, heldUntil: endpointHeldUntil }
    : { nextAttemptAt, heldUntil: null };
}
