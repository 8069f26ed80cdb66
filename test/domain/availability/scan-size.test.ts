import { expect, test } from "vitest";
import { assertNotTooLarge } from "../../../src/domain/availability/scan-size.ts";
import type { VisitPlan } from "../../../src/domain/availability/visit-plan.ts";

/** Returns a plan with one start a day, and a segment with the given number of tables. */
const planFor = (tables: number, lastDay: number) =>
  ({
    timezone: "UTC",
    firstDay: 0,
    lastDay,
    earliestMin: 0,
    horizonDay: lastDay,
    intervalMin: 24 * 60,
    segments: [
      { service: null, candidates: Array.from({ length: tables }, () => ({ staff: null })) },
    ],
  }) as unknown as VisitPlan;

const refused = (parameter: string) =>
  expect.objectContaining({
    code: "query_too_large",
    issues: [expect.objectContaining({ parameter })],
  });

test("a search may check 6 million combinations of start and table, of which a searched day counts a quarter", () => {
  const options = { lists: "next", explain: false, maxSearchDays: 1000 } as const;
  expect(() => assertNotTooLarge(planFor(60_000, 399), options)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_001, 399), options)).toThrow(refused("areaId"));
});

test("a list may check 6 million combinations of start and table, of which an explained day counts twice", () => {
  const options = { lists: "days", explain: false, maxSearchDays: 0 } as const;
  const explained = { ...options, explain: true };
  expect(() => assertNotTooLarge(planFor(60_000, 99), options)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_000, 100), options)).toThrow(refused("to"));
  expect(() => assertNotTooLarge(planFor(60_000, 49), explained)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_000, 50), explained)).toThrow(refused("explain"));
});
