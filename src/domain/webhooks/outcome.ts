/** What one POST gave. */
export type Outcome =
  | { kind: "responded"; statusCode: number; retryAfter: string | null; responseText: string }
  | { kind: "timed_out" | "refused" | "blocked" | "unresolvable" | "tls_failed"; error: string };

/** What an outcome tells of its endpoint. */
export type OutcomeClass =
  | { kind: "well" }
  /** It said that it is no more. */
  | { kind: "gone" }
  | {
      kind: "failed";
      /** For how long the receiver asks to be left alone; null: it does not say. */
      pauseMs: number | null;
      /** Overloaded, or gone for the moment: more at once, or sooner, would make that worse. */
      isOverloaded: boolean;
    };

const MAX_HINT_MS = 86_400_000;
const OVERLOADED = new Set([429, 502, 503, 504]);
const GONE = 410;

/** The outcome table of webhooks. Status and headers decide; whatever becomes of the body changes nothing. */
export function classifyOutcome(outcome: Outcome, now: number): OutcomeClass {
  if (outcome.kind !== "responded")
    return { kind: "failed", pauseMs: null, isOverloaded: outcome.kind === "timed_out" };
  const { statusCode, retryAfter } = outcome;
  if (statusCode >= 200 && statusCode < 300) return { kind: "well" };
  if (statusCode === GONE) return { kind: "gone" };
  const hintMs = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now);
  const pauseMs = hintMs === undefined ? null : Math.min(hintMs, MAX_HINT_MS);
  return { kind: "failed", pauseMs, isOverloaded: OVERLOADED.has(statusCode) };
}

/** RFC 9110: seconds, or an HTTP date. Undefined for anything else. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The outcome in words, for whoever looks after the delivery. */
export const describeFailure = (outcome: Outcome): string =>
  outcome.kind === "responded"
    ? `HTTP ${outcome.statusCode}`
    : `${NAMES[outcome.kind]}: ${outcome.error}`;

const NAMES = {
  timed_out: "timed out",
  refused: "refused",
  blocked: "blocked_address",
  unresolvable: "unresolvable",
  tls_failed: "TLS failed",
} as const satisfies Record<Exclude<Outcome["kind"], "responded">, string>;
