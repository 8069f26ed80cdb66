import { expect, test } from "vitest";
import { createRetentionClock } from "../../../src/app/operations/retention-clock.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;

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
  rt.now = () => now() + 40 * 24 * HOUR_MS;
  for (let i = 0; i < 20; i++) {
    rt.advance(300_000);
    clock.update();
    expect(Number.isInteger(clock.now())).toBe(true);
    expect(clock.now()).toBeLessThan(rt.now() - HOUR_MS);
  }
});
