import { expect, test } from "vitest";
import {
  recordFailure,
  endsInDisabling,
  nextStreakAction,
  NO_STREAK,
  type FailureStreak,
} from "../../../src/domain/webhooks/failing-endpoint.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-11-20T12:00:00Z");

const failing = (
  failures: number,
  events: number,
  changes: Partial<FailureStreak> = {},
): FailureStreak => ({
  ...Array.from({ length: failures }).reduce<FailureStreak>(
    (streak, _, i) =>
      recordFailure(streak, {
        eventId: `evt_${i % events}`,
        at: START + i,
        error: `HTTP ${500 + i}`,
      }),
    NO_STREAK,
  ),
  ...changes,
});

test("a streak of failures starts with the first one and counts failures and events", () => {
  expect(failing(1, 1)).toMatchObject({
    failingSince: START,
    failureCount: 1,
    failedEventId: "evt_0",
    failedEvents: 1,
    lastError: "HTTP 500",
  });
  expect(failing(5, 1)).toMatchObject({ failingSince: START, failureCount: 5, failedEvents: 1 });
  expect(failing(5, 3)).toMatchObject({
    failingSince: START,
    failureCount: 5,
    failedEvents: 2,
    lastError: "HTTP 504",
  });
});

const warned = { warnedAt: START + DAY };
const announced = { ...warned, disableAt: START + 5 * DAY };
test.each([
  { name: "no failures", streak: NO_STREAK, at: START + 30 * DAY, step: undefined },
  {
    name: "four failures just under a day",
    streak: failing(4, 2),
    at: START + DAY - 1,
    step: undefined,
  },
  {
    name: "five failures just under ten minutes",
    streak: failing(5, 1),
    at: START + HOUR / 6 - 1,
    step: undefined,
  },
  {
    name: "five failures over ten minutes",
    streak: failing(5, 1),
    at: START + HOUR / 6,
    step: { action: "warn" },
  },
  { name: "a day of failures", streak: failing(1, 1), at: START + DAY, step: { action: "warn" } },
  {
    name: "a streak the operator was warned about",
    streak: failing(30, 2, warned),
    at: START + 4 * DAY - 1,
    step: undefined,
  },
  {
    name: "four days of failures",
    streak: failing(20, 2, warned),
    at: START + 4 * DAY,
    step: { action: "announce", disableAt: START + 5 * DAY },
  },
  {
    name: "enough failures only on the sixth day",
    streak: failing(20, 2, warned),
    at: START + 6 * DAY,
    step: { action: "announce", disableAt: START + 7 * DAY },
  },
  { name: "19 failures", streak: failing(19, 2, warned), at: START + 9 * DAY, step: undefined },
  {
    name: "failures of a single event",
    streak: failing(40, 1, warned),
    at: START + 9 * DAY,
    step: undefined,
  },
  {
    name: "an announced endpoint before its deadline",
    streak: failing(20, 2, announced),
    at: START + 5 * DAY - 1,
    step: undefined,
  },
  {
    name: "an announced endpoint at its deadline",
    streak: failing(20, 2, announced),
    at: START + 5 * DAY,
    step: undefined,
  },
])("the next action after $name is $step", ({ streak, at, step }) => {
  expect(nextStreakAction(streak, at)).toEqual(step);
});

test("a failure disables an endpoint at or after the announced time, and not before", () => {
  const streak = failing(20, 2, announced);
  expect(endsInDisabling(streak, START + 5 * DAY - 1)).toBe(false);
  expect(endsInDisabling(streak, START + 5 * DAY)).toBe(true);
  expect(endsInDisabling(failing(20, 2), START + 9 * DAY)).toBe(false);
});
