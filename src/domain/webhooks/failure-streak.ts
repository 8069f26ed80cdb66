/** What an endpoint has failed at since its last 2xx. */
export type FailureStreak = {
  failingSince: number | null;
  failureCount: number;
  /** The first event that failed. */
  failedEventId: string | null;
  /** Over how many events: 0, 1, or 2 for two and more. */
  failedEvents: number;
  /** When the operator was told of it. */
  warnedAt: number | null;
  /** When it will be disabled, unless it answers before. */
  disableAt: number | null;
};

/** What is to be done about a failing endpoint. */
export type StreakAction =
  | { do: "warn" }
  | { do: "announce"; disableAt: number }
  | { do: "disable" };

export const NO_STREAK: FailureStreak = {
  failingSince: null,
  failureCount: 0,
  failedEventId: null,
  failedEvents: 0,
  warnedAt: null,
  disableAt: null,
};

const DAY_MS = 86_400_000;
const WARN_AFTER_MS = DAY_MS;
const DISABLE_AFTER_MS = 5 * DAY_MS;
const NOTICE_MS = DAY_MS;
/** One event that a receiver chokes on, or a handful of failures over a quiet week, say little of the endpoint. */
const LEAST_FAILURES = 20;
const LEAST_EVENTS = 2;

export function recordFailure(streak: FailureStreak, eventId: string, at: number): FailureStreak {
  const isOther = streak.failedEventId !== null && streak.failedEventId !== eventId;
  return {
    ...streak,
    failingSince: streak.failingSince ?? at,
    failureCount: streak.failureCount + 1,
    failedEventId: streak.failedEventId ?? eventId,
    failedEvents: isOther ? LEAST_EVENTS : Math.max(streak.failedEvents, 1),
  };
}

/** Whether the operator has been told of it, or is about to be. */
export const needsAttention = (streak: FailureStreak, now: number): boolean =>
  streak.warnedAt !== null ||
  streak.disableAt !== null ||
  nextStreakAction(streak, now) !== undefined;

/** Nobody is disabled without a day's notice, however late the failures were enough for it. */
export function nextStreakAction(streak: FailureStreak, now: number): StreakAction | undefined {
  const { failingSince, failureCount, failedEvents, warnedAt, disableAt } = streak;
  if (failingSince === null) return undefined;
  if (disableAt !== null) return now >= disableAt ? { do: "disable" } : undefined;
  if (warnedAt === null) return now >= failingSince + WARN_AFTER_MS ? { do: "warn" } : undefined;
  if (failureCount < LEAST_FAILURES || failedEvents < LEAST_EVENTS) return undefined;
  const endsAt = failingSince + DISABLE_AFTER_MS;
  if (now < endsAt - NOTICE_MS) return undefined;
  return { do: "announce", disableAt: Math.max(endsAt, now + NOTICE_MS) };
}
