import { expect, test } from "vitest";
import {
  classifyOutcome,
  isLocalFailure,
  type Outcome,
  outcomeForPartners,
  settle,
  ATTEMPT_DELAYS_MS,
  MAX_ATTEMPTS,
  retryDelayMs,
} from "../../../src/domain/webhooks/settle.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const responded = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});
const failure = (retryAfterMs: number | null, isOverloaded: boolean, isDown = isOverloaded) => ({
  kind: "failure",
  retryAfterMs,
  isOverloaded,
  isDown,
});

test.each([
  { name: "200", outcome: responded(200), expected: { kind: "success" } },
  {
    name: "a success with Retry-After",
    outcome: responded(202, "60"),
    expected: { kind: "success" },
  },
  { name: "410", outcome: responded(410), expected: { kind: "gone" } },
  { name: "500", outcome: responded(500), expected: failure(null, false) },
  { name: "a redirect", outcome: responded(308), expected: failure(null, false) },
  { name: "429", outcome: responded(429), expected: failure(null, true) },
  { name: "502", outcome: responded(502), expected: failure(null, true) },
  { name: "503", outcome: responded(503), expected: failure(null, true) },
  { name: "504", outcome: responded(504), expected: failure(null, true) },
  {
    name: "Retry-After in seconds",
    outcome: responded(503, "120"),
    expected: failure(120_000, true),
  },
  {
    name: "Retry-After as a date",
    outcome: responded(500, "Fri, 20 Nov 2026 13:00:00 GMT"),
    expected: failure(HOUR, false),
  },
  {
    name: "Retry-After of more than a day",
    outcome: responded(429, "9999999"),
    expected: failure(24 * HOUR, true),
  },
  {
    name: "Retry-After in the past",
    outcome: responded(429, "Fri, 20 Nov 2026 11:00:00 GMT"),
    expected: failure(0, true),
  },
  {
    name: "an invalid Retry-After date",
    outcome: responded(404, "Fri, 31 Foo 2026 99:00:00 GMT"),
    expected: failure(null, false),
  },
  {
    name: "a timeout",
    outcome: { kind: "timed_out", error: "" } as Outcome,
    expected: failure(null, true),
  },
  {
    name: "a refused connection",
    outcome: { kind: "refused", error: "" } as Outcome,
    expected: failure(null, false, true),
  },
  {
    name: "a blocked address",
    outcome: { kind: "blocked", error: "" } as Outcome,
    expected: failure(null, false),
  },
])("the outcome $name is classified", ({ outcome, expected }) => {
  expect(classifyOutcome(outcome, NOW)).toEqual(expected);
});

test.each([
  ["EMFILE", true],
  ["ENFILE", true],
  ["ENOBUFS", true],
  ["ENOMEM", true],
  ["ECONNREFUSED", false],
  ["", false],
])("a request refused with %j is a failure of this machine: %s", (error, expected) => {
  expect(isLocalFailure({ kind: "refused", error })).toBe(expected);
  expect(isLocalFailure({ kind: "timed_out", error })).toBe(false);
});

test.each(["refused", "timed_out", "unresolvable", "tls_failed", "blocked"] as const)(
  "partners cannot distinguish an outcome %s from other attempts without a response, or see its duration",
  (outcome) => {
    expect(outcomeForPartners({ outcome, error: `${outcome}: why`, durationMs: 5003 })).toEqual({
      outcome: "refused",
      error: "The receiver could not be reached or did not respond in time.",
      durationMs: 0,
    });
  },
);

const failed = (kind: Exclude<Outcome["kind"], "responded">): Outcome => ({ kind, error: "why" });

const settleNow = (step: number, outcome: Outcome) =>
  settle(step, outcome, classifyOutcome(outcome, NOW), NOW, () => 0);

test.each([200, 201, 204, 299])(
  "a response with the status %i delivers the event on any attempt",
  (status) => {
    const delivered = { status: "DELIVERED", nextAttemptAt: null, deliveredAt: NOW, error: null };
    expect(settleNow(1, responded(status))).toEqual(delivered);
    expect(settleNow(20, responded(status))).toEqual(delivered);
  },
);

test.each<{ name: string; outcome: Outcome; delayMs: number; error: string }>([
  { name: "a server error", outcome: responded(500), delayMs: 5000, error: "HTTP 500" },
  {
    name: "a redirect (not followed)",
    outcome: responded(301),
    delayMs: 5000,
    error: "HTTP 301",
  },
  { name: "a client error", outcome: responded(404), delayMs: 5000, error: "HTTP 404" },
  {
    name: "a refused connection",
    outcome: failed("refused"),
    delayMs: 5000,
    error: "refused: why",
  },
  {
    name: "an unresolvable name",
    outcome: failed("unresolvable"),
    delayMs: 5000,
    error: "unresolvable: why",
  },
  {
    name: "a failed TLS handshake",
    outcome: failed("tls_failed"),
    delayMs: 5000,
    error: "TLS failed: why",
  },
  {
    name: "a blocked address",
    outcome: failed("blocked"),
    delayMs: 5000,
    error: "blocked_address: why",
  },
  { name: "a timeout", outcome: failed("timed_out"), delayMs: 60_000, error: "timed out: why" },
  { name: "too many requests", outcome: responded(429), delayMs: 60_000, error: "HTTP 429" },
  { name: "a bad gateway", outcome: responded(502), delayMs: 60_000, error: "HTTP 502" },
  { name: "service unavailable", outcome: responded(503), delayMs: 60_000, error: "HTTP 503" },
  { name: "a gateway timeout", outcome: responded(504), delayMs: 60_000, error: "HTTP 504" },
  {
    name: "Retry-After in seconds",
    outcome: responded(503, "120"),
    delayMs: 120_000,
    error: "HTTP 503",
  },
  {
    name: "a Retry-After shorter than the schedule",
    outcome: responded(503, "1"),
    delayMs: 5000,
    error: "HTTP 503",
  },
  {
    name: "Retry-After with another status",
    outcome: responded(400, "90"),
    delayMs: 90_000,
    error: "HTTP 400",
  },
  {
    name: "Retry-After as a date",
    outcome: responded(429, "Fri, 20 Nov 2026 12:10:00 GMT"),
    delayMs: 600_000,
    error: "HTTP 429",
  },
  {
    name: "Retry-After in the past",
    outcome: responded(429, "Fri, 20 Nov 2026 11:00:00 GMT"),
    delayMs: 5000,
    error: "HTTP 429",
  },
  {
    name: "Retry-After of more than a day",
    outcome: responded(503, "999999999"),
    delayMs: 24 * HOUR,
    error: "HTTP 503",
  },
  {
    name: "an invalid Retry-After",
    outcome: responded(503, "soon"),
    delayMs: 60_000,
    error: "HTTP 503",
  },
  {
    name: "a negative Retry-After",
    outcome: responded(500, "-5"),
    delayMs: 5000,
    error: "HTTP 500",
  },
])("a delivery is retried $delayMs ms after $name", ({ outcome, delayMs, error }) => {
  const pending = { status: "PENDING", nextAttemptAt: NOW + delayMs, deliveredAt: null, error };
  expect(settleNow(1, outcome)).toEqual(pending);
});

test("the delay of the schedule applies if it is longer than Retry-After", () => {
  expect(settleNow(6, responded(503, "60"))).toMatchObject({
    nextAttemptAt: NOW + HOUR,
  });
});

test("status 410 parks the delivery", () => {
  const parked = { status: "PARKED", nextAttemptAt: null, deliveredAt: null, error: "HTTP 410" };
  expect(settleNow(1, responded(410, "60"))).toEqual(parked);
  expect(settleNow(20, responded(410))).toEqual(parked);
});

test("the twentieth failure exhausts the delivery", () => {
  expect(settleNow(19, responded(500))).toMatchObject({ status: "PENDING" });
  const exhausted = {
    status: "EXHAUSTED",
    nextAttemptAt: null,
    deliveredAt: null,
    error: "HTTP 500",
  };
  expect(settleNow(20, responded(500, "60"))).toEqual(exhausted);
});

test("the 20 attempts of a delivery spread over 8 days", () => {
  expect(MAX_ATTEMPTS).toBe(20);
  const total = ATTEMPT_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
  expect(total).toBe(8 * 24 * HOUR + 42 * MINUTE + 35_000);
});

test.each([
  { attemptsMade: 1, min: 5000, max: 6000 },
  { attemptsMade: 2, min: 30_000, max: 36_000 },
  { attemptsMade: 3, min: 2 * MINUTE, max: 2.4 * MINUTE },
  { attemptsMade: 6, min: HOUR, max: 72 * MINUTE },
  { attemptsMade: 7, min: 2 * HOUR, max: 2 * HOUR + 15 * MINUTE },
  { attemptsMade: 19, min: 24 * HOUR, max: 24 * HOUR + 15 * MINUTE },
])(
  "after $attemptsMade attempts, jitter adds at most a fifth of the delay, within bounds of 1 s and 15 min",
  (row) => {
    expect(retryDelayMs(row.attemptsMade, 0)).toBe(row.min);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeGreaterThan(row.max - 2);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeLessThan(row.max);
  },
);

test("there is no retry after the twentieth attempt", () => {
  expect(retryDelayMs(20, 0)).toBeUndefined();
});
