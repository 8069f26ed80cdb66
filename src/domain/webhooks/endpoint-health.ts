import type { Backoff } from "./failing-endpoint.ts";
import type { OutcomeClass } from "./settle.ts";

// A permit is the right to have one attempt in flight. Probes have permits of their own. Prompt and
// late attempts share the fast permits, but late attempts get only a part of them. An attempt is
// late if its endpoint is degraded, or once the attempt has waited OVERDUE_MS for a response.
// Endpoints that hang or fail therefore never use up the permits of endpoints that respond.

/** The permits of a delivery worker, for all endpoints together. */
export const PERMITS = 1024;

/** The share of probes in all permits. The other permits are fast: for prompt and late attempts. */
const PROBE_SHARE = 0.2;

/** The share of the fast permits that late attempts can use. */
const LATE_SHARE_OF_FAST = 0.5;

/**
 * An attempt that becomes late in flight continues. If all late permits are used, it frees its fast
 * permit for another attempt. The prompt and late attempts in flight can therefore be more than the
 * fast permits, but at most this multiple of them, plus the reserve for idle endpoints.
 */
const MAX_FAST_FACTOR = 2;

/**
 * Endpoints with nothing in flight may exceed `maxFastInFlight` by this share of the fast permits.
 */
const RESERVED_SHARE_OF_FAST = 0.5;

type PermitLimits = {
  /** Permits of probes. */
  probes: number;
  /** Permits of prompt and late attempts. */
  fast: number;
  /** The fast permits that late attempts can use. */
  late: number;
  /** The maximum number of prompt and late attempts in flight, together. */
  maxFastInFlight: number;
  /** How many attempts above `maxFastInFlight` endpoints with nothing in flight may start. */
  reserved: number;
};

export function splitPermits(permits: number): PermitLimits {
  const probes = Math.floor(permits * PROBE_SHARE);
  const fast = permits - probes;
  return {
    probes,
    fast,
    late: Math.floor(fast * LATE_SHARE_OF_FAST),
    maxFastInFlight: fast * MAX_FAST_FACTOR,
    reserved: Math.floor(fast * RESERVED_SHARE_OF_FAST),
  };
}

/**
 * Returns the maximum number of attempts in flight. It is larger than the number of permits,
 * because late attempts can free their permits (see `MAX_FAST_FACTOR`) and idle endpoints have a
 * reserve.
 */
export function maxInFlight(permits: number): number {
  const { probes, maxFastInFlight, reserved } = splitPermits(permits);
  return probes + maxFastInFlight + reserved;
}

/**
 * The recent results of an endpoint, which decide how many deliveries may be in flight and when the
 * next may be sent. Times are of the monotonic clock.
 */
export type EndpointHealth = Readonly<{
  /** Failures in a row. */
  failures: number;
  /** Attempts in a row that found the receiver down. */
  foundDown: number;
  /** One bit per outcome, 1 for a failure. The lowest bit is the newest outcome. */
  history: number;
  /** The number of outcomes in `history`, at most HISTORY_LENGTH. */
  seen: number;
  /** Whether deliveries are sent one at a time, because they fail so often. */
  isProbing: boolean;
  /** The wait after the last failed probe; 0 before the first backoff. */
  probeIntervalMs: number;
  /** The next probe is sent at this time or later; 0 before the first backoff. */
  probeAt: number;
  /** The receiver asked with Retry-After for no request before this time. */
  notBefore: number;
  /**
   * A limit on deliveries in flight besides the one that is set for the endpoint. It falls to 1
   * when the receiver is overloaded or accepts a probe, and grows by 1 with each further success.
   */
  maxConcurrency: number;
}>;

/** The class of an endpoint decides which permits its deliveries use. */
export type EndpointClass = "HEALTHY" | "DEGRADED" | "PROBING";

const PROBE_AFTER_FAILURES = 10;
/** One attempt is not enough, because the receiver may have closed an idle connection. */
const PROBE_AFTER_FOUND_DOWN = 2;
const HISTORY_LENGTH = 20;
const PROBE_FAILURES_IN_HISTORY = 0.7 * HISTORY_LENGTH;
/** The first backoff is short, because a receiver that restarts is back within seconds. */
const MIN_PROBE_INTERVAL_MS = 1000;
const MAX_PROBE_INTERVAL_MS = 15 * 60_000;
/** An attempt without a response for this long may hang: most responses take a hundredth of it. */
export const OVERDUE_MS = 2000;
/** The maximum number of attempts of one endpoint that are in flight at once. */
export const MAX_CONCURRENCY = 32;

/** An endpoint that has not been tried counts as healthy. */
export const HEALTHY: EndpointHealth = {
  failures: 0,
  foundDown: 0,
  history: 0,
  seen: 0,
  isProbing: false,
  probeIntervalMs: 0,
  probeAt: 0,
  notBefore: 0,
  maxConcurrency: MAX_CONCURRENCY,
};

/**
 * Returns the health after a restart, from the number of failures since the last success.
 * @param notBefore the time for which the receiver asked with Retry-After; 0 if it did not
 */
export const restoreHealth = (failureCount: number, notBefore = 0): EndpointHealth => ({
  ...HEALTHY,
  notBefore,
  failures: failureCount,
  isProbing: failureCount >= PROBE_AFTER_FAILURES,
});

/** Returns the health after an outcome; the same object if nothing changes. */
export function recordOutcome(
  health: EndpointHealth,
  outcome: OutcomeClass,
  now: number,
): EndpointHealth {
  return outcome.kind === "success" ? afterSuccess(health) : afterFailure(health, outcome, now);
}

function afterSuccess(health: EndpointHealth): EndpointHealth {
  const { notBefore } = health;
  // After a successful probe, concurrency starts at 1 and grows by 1 with each success.
  if (health.isProbing) return { ...HEALTHY, notBefore, maxConcurrency: 1 };
  const maxConcurrency = Math.min(health.maxConcurrency + 1, MAX_CONCURRENCY);
  const seen = Math.min(health.seen + 1, HISTORY_LENGTH);
  const history = appendOutcome(health.history, 0);
  if (
    health.failures === 0 &&
    health.foundDown === 0 &&
    history === health.history &&
    seen === health.seen &&
    maxConcurrency === health.maxConcurrency
  )
    return health;
  return { ...health, failures: 0, foundDown: 0, history, seen, maxConcurrency };
}

function afterFailure(
  health: EndpointHealth,
  outcome: Exclude<OutcomeClass, { kind: "success" }>,
  now: number,
): EndpointHealth {
  const failure = outcome.kind === "failure" ? outcome : undefined;
  const failures = health.failures + 1;
  const foundDown = failure?.isDown === true ? health.foundDown + 1 : 0;
  const history = appendOutcome(health.history, 1);
  const seen = Math.min(health.seen + 1, HISTORY_LENGTH);
  const failsOften = seen === HISTORY_LENGTH && countOnes(history) >= PROBE_FAILURES_IN_HISTORY;
  const isProbing =
    health.isProbing ||
    failures >= PROBE_AFTER_FAILURES ||
    foundDown >= PROBE_AFTER_FOUND_DOWN ||
    failsOften;
  const next = {
    ...health,
    failures,
    foundDown,
    history,
    seen,
    isProbing,
    notBefore: Math.max(health.notBefore, now + (failure?.retryAfterMs ?? 0)),
    maxConcurrency: failure?.isOverloaded === true ? 1 : health.maxConcurrency,
  };
  // Attempts that were in flight together count as one failed probe: a further failure before
  // `probeAt` does not lengthen the wait.
  if (!isProbing || health.probeAt > now) return next;
  const probeIntervalMs = Math.min(
    Math.max(MIN_PROBE_INTERVAL_MS, 2 * health.probeIntervalMs),
    MAX_PROBE_INTERVAL_MS,
  );
  return { ...next, probeIntervalMs, probeAt: now + probeIntervalMs };
}

/**
 * Returns until when nothing is sent, and why; undefined if deliveries may be sent. The time is of
 * the same clock as `now`.
 */
export function backoffOf(
  { notBefore, probeAt }: EndpointHealth,
  now: number,
): Backoff | undefined {
  const until = Math.max(notBefore, probeAt);
  if (until <= now) return undefined;
  return { until, reason: notBefore < probeAt ? "failing" : "retry_after" };
}

/** @param overdue the number of attempts without a response for OVERDUE_MS or longer */
export const classifyEndpoint = (
  { isProbing, failures }: EndpointHealth,
  overdue: number,
): EndpointClass => (isProbing ? "PROBING" : failures > 0 || overdue > 0 ? "DEGRADED" : "HEALTHY");

/**
 * Returns how many more deliveries may be sent now. The other deliveries wait, which does not count
 * as an attempt.
 * @param ownLimit the maximum number in flight that is set for the endpoint
 */
export function remainingConcurrency(
  health: EndpointHealth,
  inFlight: number,
  ownLimit: number,
  now: number,
): number {
  if (health.notBefore > now || health.probeAt > now) return 0;
  return (health.isProbing ? 1 : Math.min(ownLimit, health.maxConcurrency)) - inFlight;
}

const appendOutcome = (history: number, bit: 0 | 1): number =>
  ((history << 1) | bit) & (2 ** HISTORY_LENGTH - 1);

function countOnes(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
