import { describe, expect, test } from "vitest";
import {
  recordOutcome,
  type EndpointHealth,
  laneOf,
  restoreHealth,
  remainingConcurrency,
  HEALTHY,
} from "../../../src/domain/webhooks/endpoint-health.ts";
import type { OutcomeClass } from "../../../src/domain/webhooks/outcome.ts";

const MINUTE = 60_000;
const well: OutcomeClass = { kind: "well" };
const failed: OutcomeClass = { kind: "failed", pauseMs: null, isOverloaded: false };
const overloaded: OutcomeClass = { kind: "failed", pauseMs: null, isOverloaded: true };

const after = (verdicts: OutcomeClass[], now = 0, health = HEALTHY): EndpointHealth =>
  verdicts.reduce((health, verdict) => recordOutcome(health, verdict, now), health);
const times = (count: number, ...verdicts: OutcomeClass[]) =>
  Array.from({ length: count }, () => verdicts).flat();
const room = (health: EndpointHealth, now = 0, inFlight = 0) =>
  remainingConcurrency(health, inFlight, 4, now);

test("one that was never tried, or answers, may have as many on the wire as it is allowed", () => {
  expect(room(HEALTHY)).toBe(4);
  expect(room(HEALTHY, 0, 3)).toBe(1);
  const steady = after(times(30, well));
  expect(room(steady)).toBe(4);
  expect(recordOutcome(steady, well, 0)).toBe(steady);
});

describe("suspect", () => {
  test("is one after 10 failures in a row, not after 9, nor after 10 with a success between", () => {
    expect(laneOf(after(times(9, failed)), 0)).toBe("SHAKY");
    expect(laneOf(after(times(10, failed)), 0)).toBe("SUSPECT");
    expect(laneOf(after([...times(9, failed), well, failed]), 0)).toBe("SHAKY");
  });

  test("is one with 14 failures among its last 20, however they are mixed", () => {
    // Two of three: 13 of 20, 14 when the twenty end rightly.
    const mixed = times(7, failed, failed, well).slice(0, 20);
    expect(mixed.filter((verdict) => verdict === failed)).toHaveLength(14);
    expect(laneOf(after(mixed.slice(0, 19)), 0)).toBe("SHAKY");
    expect(laneOf(after(mixed), 0)).toBe("SUSPECT");
    expect(laneOf(after(times(30, failed, well)), 0)).toBe("WELL");
  });

  test("is probed one at a time, after pauses that double from 30 s to 15 min", () => {
    let health = after(times(10, failed));
    let now = 0;
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      pauses.push(health.probeAt - now);
      expect(room(health, health.probeAt - 1)).toBe(0);
      now = health.probeAt;
      expect(room(health, now)).toBe(1);
      expect(room(health, now, 1)).toBe(0);
      health = recordOutcome(health, failed, now);
    }
    expect(pauses.map((pause) => pause / 1000)).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test("is paused once for all that were on the wire together", () => {
    const health = after(times(14, failed), 5000);
    expect(health.probeAt).toBe(35_000);
  });

  test("comes back with one success, with one at a time, then two, then four", () => {
    let health = recordOutcome(after(times(10, failed)), well, 30_000);
    expect(laneOf(health, 0)).toBe("WELL");
    expect(room(health, 30_000)).toBe(1);
    health = recordOutcome(health, well, 30_000);
    expect(room(health, 30_000)).toBe(2);
    health = after([well, well], 30_000, health);
    expect(room(health, 30_000)).toBe(4);
  });

  test("is remembered over a restart, and probed at once", () => {
    expect(room(restoreHealth(10))).toBe(1);
    expect(laneOf(restoreHealth(9), 0)).toBe("SHAKY");
    expect(laneOf(restoreHealth(0), 0)).toBe("WELL");
  });
});

test("one that keeps an answer back is shaky until it comes, and a suspect stays a suspect", () => {
  expect(laneOf(HEALTHY, 1)).toBe("SHAKY");
  expect(laneOf(HEALTHY, 0)).toBe("WELL");
  expect(laneOf(restoreHealth(10), 1)).toBe("SUSPECT");
});

test("an overloaded endpoint gets one at a time, until it answers again", () => {
  const health = recordOutcome(HEALTHY, overloaded, 0);
  expect(room(health)).toBe(1);
  expect(room(after([well, well, well], 0, health))).toBe(4);
});

test("an endpoint that asks for a pause gets it, whatever others of its deliveries are answered", () => {
  const asked = recordOutcome(
    HEALTHY,
    { kind: "failed", pauseMs: 10 * MINUTE, isOverloaded: true },
    1000,
  );
  expect(room(asked, 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(room(recordOutcome(asked, well, 2000), 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(room(asked, 1000 + 10 * MINUTE)).toBe(1);
  const longer = recordOutcome(
    asked,
    { kind: "failed", pauseMs: MINUTE, isOverloaded: false },
    2000,
  );
  expect(longer.pausedUntil).toBe(asked.pausedUntil);
});
