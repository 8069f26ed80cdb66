import { describe, expect, test } from "vitest";
import {
  feel,
  type Health,
  laneOf,
  recallHealth,
  roomOf,
  WELL,
} from "../../../src/domain/webhooks/lanes.ts";
import type { Verdict } from "../../../src/domain/webhooks/verdict.ts";

const MINUTE = 60_000;
const well: Verdict = { kind: "well" };
const failed: Verdict = { kind: "failed", pauseMs: null, isOverloaded: false };
const overloaded: Verdict = { kind: "failed", pauseMs: null, isOverloaded: true };

const after = (verdicts: Verdict[], now = 0, health = WELL): Health =>
  verdicts.reduce((health, verdict) => feel(health, verdict, now), health);
const times = (count: number, ...verdicts: Verdict[]) =>
  Array.from({ length: count }, () => verdicts).flat();
const room = (health: Health, now = 0, inFlight = 0) => roomOf(health, inFlight, 4, now);

test("one that was never tried, or answers, may have as many on the wire as it is allowed", () => {
  expect(room(WELL)).toBe(4);
  expect(room(WELL, 0, 3)).toBe(1);
  const steady = after(times(30, well));
  expect(room(steady)).toBe(4);
  expect(feel(steady, well, 0)).toBe(steady);
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
      health = feel(health, failed, now);
    }
    expect(pauses.map((pause) => pause / 1000)).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test("is paused once for all that were on the wire together", () => {
    const health = after(times(14, failed), 5000);
    expect(health.probeAt).toBe(35_000);
  });

  test("comes back with one success, with one at a time, then two, then four", () => {
    let health = feel(after(times(10, failed)), well, 30_000);
    expect(laneOf(health, 0)).toBe("WELL");
    expect(room(health, 30_000)).toBe(1);
    health = feel(health, well, 30_000);
    expect(room(health, 30_000)).toBe(2);
    health = after([well, well], 30_000, health);
    expect(room(health, 30_000)).toBe(4);
  });

  test("is remembered over a restart, and probed at once", () => {
    expect(room(recallHealth(10))).toBe(1);
    expect(laneOf(recallHealth(9), 0)).toBe("SHAKY");
    expect(laneOf(recallHealth(0), 0)).toBe("WELL");
  });
});

test("one that keeps an answer back is shaky until it comes, and a suspect stays a suspect", () => {
  expect(laneOf(WELL, 1)).toBe("SHAKY");
  expect(laneOf(WELL, 0)).toBe("WELL");
  expect(laneOf(recallHealth(10), 1)).toBe("SUSPECT");
});

test("an overloaded endpoint gets one at a time, until it answers again", () => {
  const health = feel(WELL, overloaded, 0);
  expect(room(health)).toBe(1);
  expect(room(after([well, well, well], 0, health))).toBe(4);
});

test("an endpoint that asks for a pause gets it, whatever others of its deliveries are answered", () => {
  const asked = feel(WELL, { kind: "failed", pauseMs: 10 * MINUTE, isOverloaded: true }, 1000);
  expect(room(asked, 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(room(feel(asked, well, 2000), 1000 + 10 * MINUTE - 1)).toBe(0);
  expect(room(asked, 1000 + 10 * MINUTE)).toBe(1);
  const longer = feel(asked, { kind: "failed", pauseMs: MINUTE, isOverloaded: false }, 2000);
  expect(longer.askedUntil).toBe(asked.askedUntil);
});
