import { describe, expect, test, vi } from "vitest";
import { createRetentionClock } from "../../../src/app/operations/retention-clock.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test("the retention clock has whole milliseconds, although the monotonic clock has fractions", () => {
  const rt = createTestRuntime();
  const { monotonic } = rt;
  // The fractions differ from reading to reading, as those of performance.now() do.
  let readings = 0;
  rt.monotonic = () => monotonic() + ((readings++ * 0.37) % 1);
  const clock = createRetentionClock(rt);
  clock.update();
  for (let i = 0; i < 20; i++) {
    rt.advance(300_000);
    expect(Number.isInteger(clock.now())).toBe(true);
  }
  // A jump is stored with its time, which a strict table accepts only as a whole number.
  const { now } = rt;
  rt.now = () => now() + 40 * DAY_MS;
  for (let i = 0; i < 20; i++) {
    rt.advance(300_000);
    clock.update();
    expect(Number.isInteger(clock.now())).toBe(true);
    expect(clock.now()).toBeLessThan(rt.now() - HOUR_MS);
  }
});

test("the retention clock of a new process continues at the stored time until its first comparison with the wall clock", () => {
  const rt = createTestRuntime();
  createRetentionClock(rt).update();
  const startedAt = rt.now();
  rt.shiftClock(365 * DAY_MS);
  const clock = createRetentionClock(rt);
  rt.advance(1000);
  expect(clock.now()).toBe(startedAt + 1000);
});

test("the first comparison of a new server notices a clock that jumped since the start", () => {
  const rt = createTestRuntime();
  const clock = createRetentionClock(rt);
  const startedAt = rt.now();
  rt.shiftClock(365 * DAY_MS);
  clock.update();
  expect(clock.now()).toBe(startedAt);
});

/** Simulates a machine whose daemon starts again after each time that the machine was off. */
function createMachine() {
  const rt = createTestRuntime();
  let clock = createRetentionClock(rt);
  clock.update();
  return {
    rt,
    countLines: () =>
      rt.logged.filter(({ message }) => message.startsWith("The clock is ahead")).length,
    /** How far the retention clock is behind the wall clock. */
    behindMs: () => rt.now() - clock.now(),
    run(hours: number): void {
      for (let hour = 0; hour < hours; hour++) {
        rt.advance(HOUR_MS);
        clock.update();
      }
    },
    beOff(hours: number): void {
      rt.shiftClock(hours * HOUR_MS);
      clock = createRetentionClock(rt);
      clock.update();
    },
  };
}

describe("on a machine that is off each night", () => {
  test.each([1, 8, 16])(
    "the retention clock is at most a day behind, and no line is logged, if the machine runs for %i h a day",
    (hours) => {
      const { countLines, behindMs, run, beOff } = createMachine();
      for (let day = 0; day < 60; day++) {
        run(hours);
        const isWeekend = day % 6 === 5;
        beOff(24 - hours + (isWeekend ? 48 : 0));
        expect(behindMs()).toBeLessThanOrEqual(DAY_MS);
      }
      expect(countLines()).toBe(0);
    },
  );

  test("a wall clock that is years ahead for some hours never makes the retention clock run ahead", () => {
    const { rt, countLines, behindMs, run, beOff } = createMachine();
    for (let day = 0; day < 5; day++) {
      run(8);
      beOff(16);
    }
    const years = 3 * 365 * DAY_MS;
    rt.shiftClock(years);
    run(7);
    expect(behindMs()).toBeGreaterThanOrEqual(years);
    beOff(16);
    run(7);
    expect(behindMs()).toBeGreaterThanOrEqual(years);
    rt.shiftClock(-years);
    run(1);
    expect(behindMs()).toBeGreaterThanOrEqual(0);
    expect(behindMs()).toBeLessThanOrEqual(DAY_MS);
    expect(countLines()).toBe(1);
  });
});

test("the retention clock of a machine that was off for a night agrees with the wall clock after a day", () => {
  const { behindMs, run, beOff } = createMachine();
  beOff(16);
  expect(behindMs()).toBe(16 * HOUR_MS);
  run(25);
  expect(behindMs()).toBe(0);
});

test("the retention clock of a machine whose disk was full for days is not behind once the disk has space again", () => {
  const { rt, behindMs, countLines, run } = createMachine();
  const save = vi.spyOn(rt.store.history, "saveRetentionClock").mockImplementation(() => {
    throw new Error("database or disk is full");
  });
  for (let day = 0; day < 5; day++) {
    rt.advance(DAY_MS);
    expect(() => run(1)).toThrow("disk is full");
  }
  save.mockRestore();
  run(1);
  expect(behindMs()).toBe(0);
  expect(countLines()).toBe(0);
});
