import { expect, test } from "vitest";
import {
  ATTEMPT_DELAYS_MS,
  MAX_ATTEMPTS,
  retryDelayMs,
} from "../../../src/domain/webhooks/retry-schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("20 attempts are spread over 8 days", () => {
  expect(MAX_ATTEMPTS).toBe(20);
  const total = ATTEMPT_DELAYS_MS.reduce((sum, wait) => sum + wait, 0);
  expect(total).toBe(8 * 24 * HOUR + 42 * MINUTE + 35_000);
});

test.each([
  { attemptsMade: 1, least: 5000, most: 6000 },
  { attemptsMade: 2, least: 30_000, most: 36_000 },
  { attemptsMade: 3, least: 2 * MINUTE, most: 2.4 * MINUTE },
  { attemptsMade: 6, least: HOUR, most: 72 * MINUTE },
  { attemptsMade: 7, least: 2 * HOUR, most: 2 * HOUR + 15 * MINUTE },
  { attemptsMade: 19, least: 24 * HOUR, most: 24 * HOUR + 15 * MINUTE },
])(
  "after $attemptsMade attempts jitter adds up to a fifth, at least 1 s and at most 15 min",
  (row) => {
    expect(retryDelayMs(row.attemptsMade, 0)).toBe(row.least);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeGreaterThan(row.most - 2);
    expect(retryDelayMs(row.attemptsMade, 0.999999999)).toBeLessThan(row.most);
  },
);

test("after the twentieth attempt there is no other", () => {
  expect(retryDelayMs(20, 0)).toBeUndefined();
});
