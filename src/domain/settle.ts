import { waitAfter } from "./schedule.ts";

/** What one POST gave. */
export type Outcome =
  | { kind: "responded"; statusCode: number; retryAfter: string | null; responseText: string }
  | { kind: "timed_out" | "refused" | "blocked" | "unresolvable" | "tls_failed"; error: string };

/** Where a delivery stands after an attempt. */
export type Settlement =
  | { status: "DELIVERED"; nextAttemptAt: null; deliveredAt: number; error: null }
  | { status: "PENDING"; nextAttemptAt: number; deliveredAt: null; error: string }
  | { status: "EXHAUSTED" | "CORRUPT"; nextAttemptAt: null; deliveredAt: null; error: string };

/** For an event whose stored bytes are no longer those that were stored: nothing is sent. */
export const CORRUPT: Settlement = {
  status: "CORRUPT",
  nextAttemptAt: null,
  deliveredAt: null,
  error: "the stored event is damaged",
};

const MAX_HINT_MS = 24 * 60 * 60 * 1000;
/** Overloaded or gone for the moment: hammering it at the schedule's first steps would make that worse. */
const OVERLOADED = new Set([429, 502, 503, 504]);
const OVERLOADED_WAIT_MS = 60_000;

/**
 * @param attemptsMade this one included
 * @param random gives 0 <= n < 1
 */
export function settle(attemptsMade: number, outcome: Outcome, now: number, random: () => number): Settlement {
  if (isSuccess(outcome)) return { status: "DELIVERED", nextAttemptAt: null, deliveredAt: now, error: null };
  const error = describe(outcome);
  const waitMs = waitAfter(attemptsMade, random());
  if (waitMs === undefined) return { status: "EXHAUSTED", nextAttemptAt: null, deliveredAt: null, error };
  const nextAttemptAt = now + Math.max(waitMs, leastWait(outcome, now));
  return { status: "PENDING", nextAttemptAt, deliveredAt: null, error };
}

const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === "responded" && outcome.statusCode >= 200 && outcome.statusCode < 300;

/** What the receiver asks for, or its state suggests; the schedule may ask for more. */
function leastWait(outcome: Outcome, now: number): number {
  if (outcome.kind === "timed_out") return OVERLOADED_WAIT_MS;
  if (outcome.kind !== "responded") return 0;
  const hintMs = outcome.retryAfter === null ? undefined : parseRetryAfter(outcome.retryAfter, now);
  if (hintMs !== undefined) return Math.min(hintMs, MAX_HINT_MS);
  return OVERLOADED.has(outcome.statusCode) ? OVERLOADED_WAIT_MS : 0;
}

/** RFC 9110: seconds, or an HTTP date. Undefined for anything else. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const describe = (outcome: Outcome): string =>
  outcome.kind === "responded" ? `HTTP ${outcome.statusCode}` : `${NAMES[outcome.kind]}: ${outcome.error}`;

const NAMES = {
  timed_out: "timed out",
  refused: "refused",
  blocked: "blocked_address",
  unresolvable: "unresolvable",
  tls_failed: "TLS failed",
} as const satisfies Record<Exclude<Outcome["kind"], "responded">, string>;
