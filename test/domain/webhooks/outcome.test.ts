import { expect, test } from "vitest";
import {
  classifyOutcome,
  type Outcome,
  outcomeForPartners,
} from "../../../src/domain/webhooks/outcome.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const HOUR = 3_600_000;
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
])("classifies $name", ({ outcome, expected }) => {
  expect(classifyOutcome(outcome, NOW)).toEqual(expected);
});

test.each(["refused", "timed_out", "unresolvable", "tls_failed", "blocked"] as const)(
  "partners cannot tell an outcome %s from others without a response, nor how long it took",
  (outcome) => {
    expect(outcomeForPartners({ outcome, error: `${outcome}: why`, durationMs: 5003 })).toEqual({
      outcome: "refused",
      error: "The receiver could not be reached or did not respond in time.",
      durationMs: 0,
    });
  },
);
