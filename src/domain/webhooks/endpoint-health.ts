import type { OutcomeClass } from "./outcome.ts";

/**
 * How an endpoint has been answering. It decides how many of its deliveries may be on the wire, and from when on. Its instants
 * are of a clock that never jumps.
 */
export type EndpointHealth = Readonly<{
  /** Failures in a row. */
  failures: number;
  /** The last outcomes, the newest in the lowest bit: 1 is a failure. */
  history: number;
  /** How many outcomes `history` tells of. */
  seen: number;
  /** It fails so often that it is only probed. */
  isProbing: boolean;
  /** Of the pause that a suspect's last failed probe brought. */
  probeIntervalMs: number;
  /** When the next probe may go. */
  probeAt: number;
  /** The receiver asked to be left alone until then. */
  pausedUntil: number;
  /** Slow start: at most so many at once, whatever the endpoint is allowed. */
  maxConcurrency: number;
}>;

/** Where an endpoint's deliveries find their slots. */
export type Lane = "WELL" | "SHAKY" | "SUSPECT";

const SUSPECT_AFTER = 10;
const HISTORY = 20;
const SUSPECT_FAILURES_IN_HISTORY = 0.7 * HISTORY;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Whoever has not answered for so long may be about to hang; most that answer do so in a hundredth of it. */
export const OVERDUE_MS = 2000;
/** The most that an endpoint may ever be allowed. */
export const MAX_CONCURRENCY = 32;

/** Of one that answers, or was never tried. */
export const HEALTHY: EndpointHealth = {
  failures: 0,
  history: 0,
  seen: 0,
  isProbing: false,
  probeIntervalMs: 0,
  probeAt: 0,
  pausedUntil: 0,
  maxConcurrency: MAX_CONCURRENCY,
};

/** After a restart: what the file knows of an endpoint's failures since its last success. */
export const restoreHealth = (failureCount: number): EndpointHealth => ({
  ...HEALTHY,
  failures: failureCount,
  isProbing: failureCount >= SUSPECT_AFTER,
});

/** Health after an outcome. The same object when nothing differs. */
export function recordOutcome(
  health: EndpointHealth,
  verdict: OutcomeClass,
  now: number,
): EndpointHealth {
  return verdict.kind === "well" ? recover(health) : worsen(health, verdict, now);
}

function recover(health: EndpointHealth): EndpointHealth {
  const { pausedUntil } = health;
  // The first success of a suspect: from here on one at a time, then two, then four.
  if (health.isProbing) return { ...HEALTHY, pausedUntil, maxConcurrency: 1 };
  const cap = Math.min(health.maxConcurrency + 1, MAX_CONCURRENCY);
  const seen = Math.min(health.seen + 1, HISTORY);
  const history = shift(health.history, 0);
  if (
    health.failures === 0 &&
    history === health.history &&
    seen === health.seen &&
    cap === health.maxConcurrency
  )
    return health;
  return { ...health, failures: 0, history, seen, maxConcurrency: cap };
}

function worsen(
  health: EndpointHealth,
  verdict: Exclude<OutcomeClass, { kind: "well" }>,
  now: number,
): EndpointHealth {
  const failures = health.failures + 1;
  const history = shift(health.history, 1);
  const seen = Math.min(health.seen + 1, HISTORY);
  const isOften = seen === HISTORY && countOnes(history) >= SUSPECT_FAILURES_IN_HISTORY;
  const isProbing = health.isProbing || failures >= SUSPECT_AFTER || isOften;
  const failed = verdict.kind === "failed" ? verdict : undefined;
  const next = {
    ...health,
    failures,
    history,
    seen,
    isProbing,
    pausedUntil: Math.max(health.pausedUntil, now + (failed?.pauseMs ?? 0)),
    maxConcurrency: failed?.isOverloaded === true ? 1 : health.maxConcurrency,
  };
  // Several that were on the wire together are one failed probe.
  if (!isProbing || health.probeAt > now) return next;
  const pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * health.probeIntervalMs), LONGEST_PAUSE_MS);
  return { ...next, probeIntervalMs: pauseMs, probeAt: now + pauseMs };
}

/** @param overdue how many attempts have been waiting for its answer for OVERDUE_MS or more */
export const laneOf = ({ isProbing, failures }: EndpointHealth, overdue: number): Lane =>
  isProbing ? "SUSPECT" : failures > 0 || overdue > 0 ? "SHAKY" : "WELL";

/** How many more of an endpoint's deliveries may go out now. What waits burns no attempt. */
export function remainingConcurrency(
  health: EndpointHealth,
  inFlight: number,
  allowed: number,
  now: number,
): number {
  if (health.pausedUntil > now || health.probeAt > now) return 0;
  return (health.isProbing ? 1 : Math.min(allowed, health.maxConcurrency)) - inFlight;
}

const shift = (history: number, bit: 0 | 1): number => ((history << 1) | bit) & (2 ** HISTORY - 1);

function countOnes(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
