import { expect, test } from "vitest";
import { classifyOutcome, type Outcome } from "../../../src/domain/webhooks/outcome.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const HOUR = 3_600_000;
const responded = (statusCode: number, retryAfter: string | null = null): Outcome => ({
  kind: "responded",
  statusCode,
  retryAfter,
  responseText: "",
});
const failed = (pauseMs: number | null, isOverloaded: boolean) => ({
  kind: "failed",
  pauseMs,
  isOverloaded,
});

test.each([
  { name: "200", outcome: responded(200), verdict: { kind: "well" } },
  { name: "a success with Retry-After", outcome: responded(202, "60"), verdict: { kind: "well" } },
  { name: "410", outcome: responded(410), verdict: { kind: "gone" } },
  { name: "500", outcome: responded(500), verdict: failed(null, false) },
  { name: "a redirect", outcome: responded(308), verdict: failed(null, false) },
  { name: "429", outcome: responded(429), verdict: failed(null, true) },
  { name: "502", outcome: responded(502), verdict: failed(null, true) },
  { name: "503", outcome: responded(503), verdict: failed(null, true) },
  { name: "504", outcome: responded(504), verdict: failed(null, true) },
  { name: "a hint in seconds", outcome: responded(503, "120"), verdict: failed(120_000, true) },
  {
    name: "a hint as a date",
    outcome: responded(500, "Fri, 20 Nov 2026 13:00:00 GMT"),
    verdict: failed(HOUR, false),
  },
  {
    name: "a hint beyond a day",
    outcome: responded(429, "9999999"),
    verdict: failed(24 * HOUR, true),
  },
  {
    name: "a hint in the past",
    outcome: responded(429, "Fri, 20 Nov 2026 11:00:00 GMT"),
    verdict: failed(0, true),
  },
  {
    name: "no date at all",
    outcome: responded(404, "Fri, 31 Foo 2026 99:00:00 GMT"),
    verdict: failed(null, false),
  },
  {
    name: "a timeout",
    outcome: { kind: "timed_out", error: "" } as Outcome,
    verdict: failed(null, true),
  },
  {
    name: "a refused connection",
    outcome: { kind: "refused", error: "" } as Outcome,
    verdict: failed(null, false),
  },
  {
    name: "a blocked address",
    outcome: { kind: "blocked", error: "" } as Outcome,
    verdict: failed(null, false),
  },
])("$name is judged", ({ outcome, verdict }) => {
  expect(classifyOutcome(outcome, NOW)).toEqual(verdict);
});
