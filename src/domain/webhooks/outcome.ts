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
      /** Requested with Retry-After. */
      retryAfterMs: number | null;
      /** Overloaded or temporarily unavailable: send less, and later. */
      isOverloaded: boolean;
      /** No response, or one that says that the receiver is overloaded: any delivery would fail. */
      isDown: boolean;
    };

/** Too many open files on this machine, or too little memory: the receiver was not asked. */
const LOCAL_FAILURES = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);

export const isLocalFailure = (outcome: Outcome): outcome is Outcome & { kind: "refused" } =>
  outcome.kind === "refused" && LOCAL_FAILURES.has(outcome.error);

const MAX_RETRY_AFTER_MS = 86_400_000;
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

/** RFC 9110: seconds, or an HTTP date. Undefined for anything else. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/**
 * What partners read about an outcome. Partners see one outcome, one text and no time for every
 * attempt that has no response: the kind, the error and the time that it took would show which
 * names exist in internal DNS and which ports are open.
 */
export const outcomeForPartners = <T extends OutcomeDetails>(details: T): T =>
  details.outcome === "responded"
    ? details
    : { ...details, outcome: "refused", error: errorForPartners(details.error), durationMs: 0 };

/** What partners read about a stored error alone. */
export const errorForPartners = (error: string | null): string | null =>
  error === null || /^HTTP \d+$/.test(error) || OWN_ERRORS.has(error) ? error : NO_RESPONSE;

type OutcomeDetails = { outcome: Outcome["kind"]; error: string | null; durationMs: number };

export const CORRUPT_ERROR = "the stored event is damaged";
export const FORBIDDEN_ERROR = "the API key may not receive this event";
export const STOPPED_ERROR = "the endpoint was disabled before the delivery was sent";
const OWN_ERRORS = new Set([CORRUPT_ERROR, FORBIDDEN_ERROR, STOPPED_ERROR]);
const NO_RESPONSE = "The receiver could not be reached or did not respond in time.";

/** What the operator reads about a failure. */
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
