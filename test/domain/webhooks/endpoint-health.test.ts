import { describe, expect, test } from "vitest";
import {
  recordOutcome,
  type EndpointHealth,
  backoffOf,
  classifyEndpoint,
  restoreHealth,
  remainingConcurrency,
  HEALTHY,
} from "../../../src/domain/webhooks/endpoint-health.ts";
import type { OutcomeClass } from "../../../src/domain/webhooks/settle.ts";

const MINUTE = 60_000;
const success: OutcomeClass = { kind: "success" };
const failure = {
  kind: "failure",
  retryAfterMs: null,
  isOverloaded: false,
  isDown: false,
} satisfies OutcomeClass;
const down = { ...failure, isDown: true } satisfies OutcomeClass;
const overloaded = { ...down, isOverloaded: true } satisfies OutcomeClass;

const healthAfter = (outcomes: OutcomeClass[], now = 0, health = HEALTHY): EndpointHealth =>
  outcomes.reduce((health, outcome) => recordOutcome(health, outcome, now), health);
const repeat = (count: number, ...outcomes: OutcomeClass[]) =>
  Array.from({ length: count }, () => outcomes).flat();
const capacity = (health: EndpointHealth, now = 0, inFlight = 0) =>
  remainingConcurrency(health, inFlight, 4, now);

test("an untried or healthy endpoint may use its full concurrency", () => {
  expect(capacity(HEALTHY)).toBe(4);
  expect(capacity(HEALTHY, 0, 3)).toBe(1);
  const steady = healthAfter(repeat(30, success));
  expect(capacity(steady)).toBe(4);
  expect(recordOutcome(steady, success, 0)).toBe(steady);
});

describe("probing", () => {
  test("probing starts after 10 consecutive failures", () => {
    expect(classifyEndpoint(healthAfter(repeat(9, failure)), 0)).toBe("DEGRADED");
    expect(classifyEndpoint(healthAfter(repeat(10, failure)), 0)).toBe("PROBING");
    expect(classifyEndpoint(healthAfter([...repeat(9, failure), success, failure]), 0)).toBe(
      "DEGRADED",
    );
  });

  test("probing starts after two attempts in a row that find the receiver down", () => {
    expect(classifyEndpoint(healthAfter([down]), 0)).toBe("DEGRADED");
    expect(classifyEndpoint(healthAfter([down, down]), 0)).toBe("PROBING");
    expect(classifyEndpoint(healthAfter([overloaded, overloaded]), 0)).toBe("PROBING");
    for (const between of [success, failure])
      expect(classifyEndpoint(healthAfter([down, between, down]), 0)).toBe("DEGRADED");
  });

  test("probing starts after 14 failures among the last 20 outcomes", () => {
    // Two of three fail: 14 of the first 20.
    const mixed = repeat(7, failure, failure, success).slice(0, 20);
    expect(mixed.filter((outcome) => outcome === failure)).toHaveLength(14);
    expect(classifyEndpoint(healthAfter(mixed.slice(0, 19)), 0)).toBe("DEGRADED");
    expect(classifyEndpoint(healthAfter(mixed), 0)).toBe("PROBING");
    expect(classifyEndpoint(healthAfter(repeat(30, failure, success)), 0)).toBe("HEALTHY");
  });

  test("probing sends one delivery at a time, with backoffs that double from 1 s to 15 min", () => {
    let health = healthAfter(repeat(10, failure));
    let now = 0;
    const backoffs: number[] = [];
    for (let i = 0; i < 12; i++) {
      backoffs.push(health.probeAt - now);
      expect(capacity(health, health.probeAt - 1)).toBe(0);
      now = health.probeAt;
      expect(capacity(health, now)).toBe(1);
      expect(capacity(health, now, 1)).toBe(0);
      health = recordOutcome(health, failure, now);
    }
    expect(backoffs.map((backoff) => backoff / 1000)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900,
    ]);
  });

  test("probing counts failures that were in flight together as one failed probe", () => {
    const health = healthAfter(repeat(14, failure), 5000);
    expect(health.probeAt).toBe(6000);
  });

  test("probing ends with one success, and concurrency then grows by one per success", () => {
    let health = recordOutcome(healthAfter(repeat(10, failure)), success, 30_000);
    expect(classifyEndpoint(health, 0)).toBe("HEALTHY");
    expect(capacity(health, 30_000)).toBe(1);
    health = recordOutcome(health, success, 30_000);
    expect(capacity(health, 30_000)).toBe(2);
    health = healthAfter([success, success], 30_000, health);
    expect(capacity(health, 30_000)).toBe(4);
  });

  test("probing resumes after a restart, and the first probe may be sent at once", () => {
    expect(capacity(restoreHealth(10))).toBe(1);
    expect(classifyEndpoint(restoreHealth(9), 0)).toBe("DEGRADED");
    expect(classifyEndpoint(restoreHealth(0), 0)).toBe("HEALTHY");
  });
});

test("nothing is sent until the next probe or the end of Retry-After, whichever is later", () => {
  expect(backoffOf(HEALTHY, 0)).toBeUndefined();
  expect(backoffOf(healthAfter([down, down]), 0)).toEqual({ until: 1000, reason: "failing" });
  expect(backoffOf(healthAfter([down, down]), 1000)).toBeUndefined();
  const delayed = healthAfter([down, down, { ...overloaded, retryAfterMs: MINUTE }]);
  expect(backoffOf(delayed, 0)).toEqual({ until: MINUTE, reason: "retry_after" });
});

test("an overdue attempt makes a healthy endpoint degraded, and leaves a probing endpoint unchanged", () => {
  expect(classifyEndpoint(HEALTHY, 1)).toBe("DEGRADED");
  expect(classifyEndpoint(HEALTHY, 0)).toBe("HEALTHY");
  expect(classifyEndpoint(restoreHealth(10), 1)).toBe("PROBING");
});

test("an overloaded endpoint gets one delivery at a time until it responds", () => {
  const health = recordOutcome(HEALTHY, overloaded, 0);
  expect(capacity(health)).toBe(1);
  expect(capacity(healthAfter([success, success, success], 0, health))).toBe(4);
});

test("Retry-After delays the deliveries of an endpoint even if other deliveries succeed", () => {
  const delayed = recordOutcome(HEALTHY, { ...overloaded, retryAfterMs: 10 * MINUTE }, 1000);
  expect(capacity(delayed, 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(capacity(recordOutcome(delayed, success, 2000), 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(capacity(delayed, 1000 + 10 * MINUTE)).toBe(1);
  const longer = recordOutcome(delayed, { ...failure, retryAfterMs: MINUTE }, 2000);
  expect(longer.notBefore).toBe(delayed.notBefore);
});
