import { errorInWords } from "../errors.ts";

export type Outcome =
  | { kind: "responded"; statusCode: number; retryAfter: string | null; responseText: string }
  | { kind: "timed_out" | "refused" | "blocked" | "unresolvable" | "tls_failed"; error: string };

export type OutcomeClass =
  | { kind: "success" }
  /** A response of 410 says that the endpoint no longer exists. */
  | { kind: "gone" }
  | {
      kind: "failure";
      /** The delay that the receiver requested with Retry-After; null if it requested none. */
      retryAfterMs: number | null;
      /**
       * Whether the receiver is overloaded or unavailable for now. The receiver then gets fewer
       * deliveries at a time, and gets them later.
       */
      isOverloaded: boolean;
      /**
       * Whether the receiver did not respond or reports an overload, so that any delivery would
       * fail. A blocked address says nothing about the receiver, because no request was sent.
       */
      isDown: boolean;
    };

/**
 * The errors of this machine, such as too many open files or too little memory. No request was sent
 * to the receiver.
 */
const LOCAL_FAILURES = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

export const isLocalFailure = (outcome: Outcome): outcome is Outcome & { kind: "refused" } =>
  outcome.kind === "refused" && LOCAL_FAILURES.has(outcome.error);

export const MAX_RETRY_AFTER_MS = 86_400_000;
const OVERLOADED = new Set([429, 502, 503, 504]);
const GONE = 410;

/** Classifies by status and headers. The body, even if it never ends, does not matter. */
export function classifyOutcome(outcome: Outcome, now: number): OutcomeClass {
  if (outcome.kind !== "responded")
    return {
      kind: "failure",
      retryAfterMs: null,
      isOverloaded: outcome.kind === "timed_out",
      isDown: outcome.kind !== "blocked",
    };
  const { statusCode, retryAfter } = outcome;
  if (statusCode >= 200 && statusCode < 300) return { kind: "success" };
  if (statusCode === GONE) return { kind: "gone" };
  const requestedMs = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now);
  const retryAfterMs = requestedMs === undefined ? null : Math.min(requestedMs, MAX_RETRY_AFTER_MS);
  const isOverloaded = OVERLOADED.has(statusCode);
  return { kind: "failure", retryAfterMs, isOverloaded, isDown: isOverloaded };
}

/** Parses Retry-After (RFC 9110): seconds, or an HTTP date; returns undefined for anything else. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/**
 * What partners read about an outcome. All attempts without a response show the same outcome and
 * text, and no duration: the kind, the error and the duration would reveal which names exist in
 * internal DNS and which ports are open.
 */
export const outcomeForPartners = <T extends OutcomeDetails>(details: T): T =>
  details.outcome === "responded"
    ? details
    : { ...details, outcome: "refused", error: errorForPartners(details.error), durationMs: 0 };

/** What partners read about an error that is stored without its outcome. */
export const errorForPartners = (error: string | null): string | null =>
  error === null || isResponse(error) || OWN_ERRORS.has(error) ? error : NO_RESPONSE;

/** Returns whether an error from `describeFailure` is about a response of the receiver. */
export const isResponse = (error: string): boolean => /^HTTP \d+$/.test(error);

type OutcomeDetails = { outcome: Outcome["kind"]; error: string | null; durationMs: number };

const CORRUPT_ERROR = "the stored event was altered";
const FORBIDDEN_ERROR = "the API key may not receive this event";
const STOPPED_ERROR = "the endpoint was disabled before the delivery was sent";
const OWN_ERRORS = new Set([CORRUPT_ERROR, FORBIDDEN_ERROR, STOPPED_ERROR]);
const NO_RESPONSE = "The receiver could not be reached or did not respond in time.";

/** Returns the text about a failed attempt for the operator, such as `HTTP 503`. */
export const describeFailure = (outcome: Outcome): string =>
  outcome.kind === "responded"
    ? `HTTP ${outcome.statusCode}`
    : `${FAILURE_NAMES[outcome.kind]}: ${errorInWords(outcome.error)}`;

const FAILURE_NAMES = {
  timed_out: "timed out",
  refused: "refused",
  blocked: "blocked_address",
  unresolvable: "unresolvable",
  tls_failed: "TLS failed",
} as const satisfies Record<Exclude<Outcome["kind"], "responded">, string>;

/** A pending delivery is PARKED while its endpoint is disabled. */
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

/**
 * The settlement of a delivery that is not sent, because the stored bytes of its event do not match
 * their hash.
 */
export const CORRUPT_SETTLEMENT: Settlement = undelivered("CORRUPT", CORRUPT_ERROR);

/**
 * The settlement of a delivery that is not sent, because the key of its endpoint may no longer
 * receive the event.
 */
export const FORBIDDEN_SETTLEMENT: Settlement = undelivered("CANCELLED", FORBIDDEN_ERROR);

/**
 * The delay after which a delivery is tried again if it could not be sent for a reason that is not
 * the receiver's.
 */
const POSTPONED_MS = 1000;

const postponed = (error: string, now: number): Settlement => ({
  status: "PENDING",
  nextAttemptAt: now + POSTPONED_MS,
  deliveredAt: null,
  error,
});

/**
 * Returns the settlement of a delivery that could not be sent because of this machine. Such a
 * delivery does not use up an attempt.
 */
export const postpone = (outcome: Outcome, now: number): Settlement =>
  postponed(describeFailure(outcome), now);

/**
 * Returns the settlement of a delivery that is not sent, because its endpoint or key ended after
 * the delivery was claimed. Unless the delivery is parked already, it stays PENDING until disabling
 * the endpoint parks it.
 */
export const withdraw = (now: number): Settlement => postponed(STOPPED_ERROR, now);

/** Minimum delay for an overloaded receiver, even for early retries. */
const OVERLOADED_DELAY_MS = 60_000;

/**
 * Returns the next state of a delivery after an attempt.
 * @param step the number of attempts on the retry schedule, including this one
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
  // The response 410 disables the endpoint too, so the delivery is parked.
  if (outcomeClass.kind === "gone") return undelivered("PARKED", error);
  const delayMs = retryDelayMs(step, random());
  if (delayMs === undefined) return undelivered("EXHAUSTED", error);
  // Retry-After replaces the minimum delay for overloaded receivers. The delay of the retry
  // schedule applies if it is longer.
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
 * Returns the delay after `attemptsMade` attempts; undefined after the last attempt.
 * @param random 0 <= random < 1; spreads retries of deliveries that failed together
 */
export function retryDelayMs(attemptsMade: number, random: number): number | undefined {
  const delayMs = ATTEMPT_DELAYS_MS[attemptsMade];
  if (delayMs === undefined) return undefined;
  const jitterMs = Math.min(Math.max(delayMs * JITTER_SHARE, JITTER_MIN_MS), JITTER_MAX_MS);
  return delayMs + Math.floor(jitterMs * random);
}
