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

test("a search for the next slots may check 24 million combinations of start and table", () => {
  const options = { lists: "next", explain: false, maxSearchDays: 1000 } as const;
  expect(() => assertNotTooLarge(planFor(60_000, 399), options)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_001, 399), options)).toThrow(refused("areaId"));
});

test("a list of days may check 6 million combinations of start and table, or 3 million if it explains refused starts", () => {
  const options = { lists: "days", explain: false, maxSearchDays: 0 } as const;
  const explained = { ...options, explain: true };
  expect(() => assertNotTooLarge(planFor(60_000, 99), options)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_000, 100), options)).toThrow(refused("to"));
  expect(() => assertNotTooLarge(planFor(60_000, 49), explained)).not.toThrow();
  expect(() => assertNotTooLarge(planFor(60_000, 50), explained)).toThrow(refused("explain"));
});

test("a search after the listed days counts towards the limit of 6 million combinations of start and table", () => {
  const options = { lists: "days", explain: false, maxSearchDays: 1000 } as const;
  const plan = planFor(60_000, 49);
  expect(() => assertNotTooLarge({ ...plan, horizonDay: 249 }, options)).not.toThrow();
  expect(() => assertNotTooLarge({ ...plan, horizonDay: 250 }, options)).toThrow(refused("to"));
});

test("the error for a list of too many days advises fewer days if a list of one day would be accepted", () => {
  const options = { lists: "days", explain: false, maxSearchDays: 0 } as const;
  const withStarts = (tables: number) => ({ ...planFor(tables, 1), intervalMin: 1 });
  expect(() => assertNotTooLarge(withStarts(4000), options)).toThrow(refused("to"));
  expect(() => assertNotTooLarge(withStarts(4200), options)).toThrow(refused("areaId"));
});

test("the size of a search counts a service without staff per person, and a service that nobody performs as zero", () => {
  const options = { lists: "next", explain: false, maxSearchDays: 1000 } as const;
  const staffed = Array.from({ length: 30_000 }, (_, n) => ({ staff: { key: `staff-${n}` } }));
  const planWith = (candidates: object[]) =>
    ({
      ...planFor(1, 399),
      segments: [
        { service: {}, candidates: staffed },
        { service: {}, candidates },
      ],
    }) as unknown as VisitPlan;
  expect(() => assertNotTooLarge(planWith([]), options)).not.toThrow();
  expect(() => assertNotTooLarge(planWith([{ staff: null }]), options)).not.toThrow();
  expect(() =>
    assertNotTooLarge({ ...planWith([{ staff: null }]), horizonDay: 403 }, options),
  ).toThrow(refused("serviceIds"));
  expect(() => assertNotTooLarge({ ...planWith([]), horizonDay: 403 }, options)).not.toThrow();
});
