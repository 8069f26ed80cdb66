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
