import type { Verdict } from "./verdict.ts";

/**
 * How an endpoint has been answering. It decides how many of its deliveries may be on the wire, and from when on. Its instants
 * are of a clock that never jumps.
 */
export type Health = Readonly<{
  /** Failures in a row. */
  failures: number;
  /** The last outcomes, the newest in the lowest bit: 1 is a failure. */
  history: number;
  /** How many outcomes `history` tells of. */
  seen: number;
  /** It fails so often that it is only probed. */
  isSuspect: boolean;
  /** Of the pause that a suspect's last failed probe brought. */
  pauseMs: number;
  /** When the next probe may go. */
  probeAt: number;
  /** The receiver asked to be left alone until then. */
  askedUntil: number;
  /** Slow start: at most so many at once, whatever the endpoint is allowed. */
  cap: number;
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
export const HIGHEST_CAP = 32;

/** Of one that answers, or was never tried. */
export const WELL: Health = {
  failures: 0,
  history: 0,
  seen: 0,
  isSuspect: false,
  pauseMs: 0,
  probeAt: 0,
  askedUntil: 0,
  cap: HIGHEST_CAP,
};

/** After a restart: what the file knows of an endpoint's failures since its last success. */
export const recallHealth = (failureCount: number): Health => ({
  ...WELL,
  failures: failureCount,
  isSuspect: failureCount >= SUSPECT_AFTER,
});

/** Health after an outcome. The same object when nothing differs. */
export function feel(health: Health, verdict: Verdict, now: number): Health {
  return verdict.kind === "well" ? recover(health) : worsen(health, verdict, now);
}

function recover(health: Health): Health {
  const { askedUntil } = health;
  // The first success of a suspect: from here on one at a time, then two, then four.
  if (health.isSuspect) return { ...WELL, askedUntil, cap: 1 };
  const cap = Math.min(health.cap + 1, HIGHEST_CAP);
  const seen = Math.min(health.seen + 1, HISTORY);
  const history = shift(health.history, 0);
  if (
    health.failures === 0 &&
    history === health.history &&
    seen === health.seen &&
    cap === health.cap
  )
    return health;
  return { ...health, failures: 0, history, seen, cap };
}

function worsen(health: Health, verdict: Exclude<Verdict, { kind: "well" }>, now: number): Health {
  const failures = health.failures + 1;
  const history = shift(health.history, 1);
  const seen = Math.min(health.seen + 1, HISTORY);
  const isOften = seen === HISTORY && countOnes(history) >= SUSPECT_FAILURES_IN_HISTORY;
  const isSuspect = health.isSuspect || failures >= SUSPECT_AFTER || isOften;
  const failed = verdict.kind === "failed" ? verdict : undefined;
  const next = {
    ...health,
    failures,
    history,
    seen,
    isSuspect,
    askedUntil: Math.max(health.askedUntil, now + (failed?.pauseMs ?? 0)),
    cap: failed?.isOverloaded === true ? 1 : health.cap,
  };
  // Several that were on the wire together are one failed probe.
  if (!isSuspect || health.probeAt > now) return next;
  const pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * health.pauseMs), LONGEST_PAUSE_MS);
  return { ...next, pauseMs, probeAt: now + pauseMs };
}

/** @param overdue how many attempts have been waiting for its answer for OVERDUE_MS or more */
export const laneOf = ({ isSuspect, failures }: Health, overdue: number): Lane =>
  isSuspect ? "SUSPECT" : failures > 0 || overdue > 0 ? "SHAKY" : "WELL";

/** How many more of an endpoint's deliveries may go out now. What waits burns no attempt. */
export function roomOf(health: Health, inFlight: number, allowed: number, now: number): number {
  if (health.askedUntil > now || health.probeAt > now) return 0;
  return (health.isSuspect ? 1 : Math.min(allowed, health.cap)) - inFlight;
}

const shift = (history: number, bit: 0 | 1): number => ((history << 1) | bit) & (2 ** HISTORY - 1);

function countOnes(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
