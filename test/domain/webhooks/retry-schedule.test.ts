import { expect, test } from "vitest";
import {
  ATTEMPT_DELAYS_MS,
  MAX_ATTEMPTS,
  retryDelayMs,
} from "../../../src/domain/webhooks/settle.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("20 attempts spread over 8 days", () => {
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
  "after $attemptsMade attempts, jitter adds up to a fifth, at least 1 s and at most 15 min",
  (row) => {
    expect(retryDelayMs(row.attemptsMade, 0)).toBe(row.min);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeGreaterThan(row.max - 2);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeLessThan(row.max);
  },
);

test("there is no delay after the twentieth attempt", () => {
  expect(retryDelayMs(20, 0)).toBeUndefined();
});
