import { expect, test } from "vitest";
import { settle } from "../../../src/domain/webhooks/settle.ts";
import type { Outcome } from "../../../src/domain/webhooks/outcome.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const HOUR = 3_600_000;
const responded = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});
const failed = (kind: Exclude<Outcome["kind"], "responded">): Outcome => ({ kind, error: "why" });

test.each([200, 201, 204, 299])("%i is success, whatever attempt it was", (status) => {
  const delivered = { status: "DELIVERED", nextAttemptAt: null, deliveredAt: NOW, error: null };
  expect(settle(1, responded(status), NOW, () => 0)).toEqual(delivered);
  expect(settle(20, responded(status), NOW, () => 0)).toEqual(delivered);
});

test.each<{ name: string; outcome: Outcome; waitMs: number; error: string }>([
  { name: "a server error", outcome: responded(500), waitMs: 5000, error: "HTTP 500" },
  {
    name: "a redirect, which is not followed",
    outcome: responded(301),
    waitMs: 5000,
    error: "HTTP 301",
  },
  { name: "a client error", outcome: responded(404), waitMs: 5000, error: "HTTP 404" },
  { name: "a refused connection", outcome: failed("refused"), waitMs: 5000, error: "refused: why" },
  {
    name: "a name without address",
    outcome: failed("unresolvable"),
    waitMs: 5000,
    error: "unresolvable: why",
  },
  {
    name: "a failed TLS handshake",
    outcome: failed("tls_failed"),
    waitMs: 5000,
    error: "TLS failed: why",
  },
  {
    name: "a blocked address",
    outcome: failed("blocked"),
    waitMs: 5000,
    error: "blocked_address: why",
  },
  { name: "a timeout", outcome: failed("timed_out"), waitMs: 60_000, error: "timed out: why" },
  { name: "too many requests", outcome: responded(429), waitMs: 60_000, error: "HTTP 429" },
  { name: "a bad gateway", outcome: responded(502), waitMs: 60_000, error: "HTTP 502" },
  { name: "unavailable", outcome: responded(503), waitMs: 60_000, error: "HTTP 503" },
  { name: "a gateway timeout", outcome: responded(504), waitMs: 60_000, error: "HTTP 504" },
  {
    name: "Retry-After in seconds",
    outcome: responded(503, "120"),
    waitMs: 120_000,
    error: "HTTP 503",
  },
  {
    name: "a hint below the schedule",
    outcome: responded(503, "1"),
    waitMs: 5000,
    error: "HTTP 503",
  },
  {
    name: "a hint on any failure",
    outcome: responded(400, "90"),
    waitMs: 90_000,
    error: "HTTP 400",
  },
  {
    name: "a date",
    outcome: responded(429, "Fri, 20 Nov 2026 12:10:00 GMT"),
    waitMs: 600_000,
    error: "HTTP 429",
  },
  {
    name: "a past date",
    outcome: responded(429, "Fri, 20 Nov 2026 11:00:00 GMT"),
    waitMs: 5000,
    error: "HTTP 429",
  },
  {
    name: "a hint beyond a day",
    outcome: responded(503, "999999999"),
    waitMs: 24 * HOUR,
    error: "HTTP 503",
  },
  {
    name: "a hint that is none",
    outcome: responded(503, "soon"),
    waitMs: 60_000,
    error: "HTTP 503",
  },
  { name: "a negative hint", outcome: responded(500, "-5"), waitMs: 5000, error: "HTTP 500" },
])("$name waits $waitMs ms", ({ outcome, waitMs, error }) => {
  const pending = { status: "PENDING", nextAttemptAt: NOW + waitMs, deliveredAt: null, error };
  expect(settle(1, outcome, NOW, () => 0)).toEqual(pending);
});

test("the schedule wins where it asks for more than the receiver", () => {
  expect(settle(6, responded(503, "60"), NOW, () => 0)).toMatchObject({
    nextAttemptAt: NOW + HOUR,
  });
});

test("a receiver that is gone ends no delivery: it is parked with its endpoint", () => {
  const parked = { status: "PARKED", nextAttemptAt: null, deliveredAt: null, error: "HTTP 410" };
  expect(settle(1, responded(410, "60"), NOW, () => 0)).toEqual(parked);
  expect(settle(20, responded(410), NOW, () => 0)).toEqual(parked);
});

test("the twentieth failure is the last", () => {
  expect(settle(19, responded(500), NOW, () => 0)).toMatchObject({ status: "PENDING" });
  const exhausted = {
    status: "EXHAUSTED",
    nextAttemptAt: null,
    deliveredAt: null,
    error: "HTTP 500",
  };
  expect(settle(20, responded(500, "60"), NOW, () => 0)).toEqual(exhausted);
});
