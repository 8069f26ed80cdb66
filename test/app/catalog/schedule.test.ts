import { fc } from "../../support/property.ts";
import { expect, test } from "vitest";
import type { HoursRule } from "../../../src/domain/catalog/catalog.ts";
import { WEEK } from "../../../src/domain/catalog/common.ts";
import { withDayHours } from "../../../src/app/catalog/schedule.ts";

const rule = (days: string, start: string, end: string, season?: string): HoursRule => ({
  days: days.split(" ") as HoursRule["days"],
  start,
  end,
  validFrom: season ?? null,
  validTo: null,
});
const opening = (start: string, end: string) => ({ start, end });

const HOURS = [
  rule("mon tue wed", "09:00", "18:00"),
  rule("mon sun", "11:00", "17:00", "2026-12-01"),
];

test("new opening hours of a weekday replace its regular rules and keep its seasonal rules", () => {
  expect(
    withDayHours(HOURS, ["mon"], [opening("10:00", "12:00"), opening("13:00", "16:00")]),
  ).toEqual([
    rule("tue wed", "09:00", "18:00"),
    HOURS[1],
    rule("mon", "10:00", "12:00"),
    rule("mon", "13:00", "16:00"),
  ]);
});

test("closing weekdays removes their regular opening hours", () => {
  expect(withDayHours(HOURS, ["mon", "tue", "wed"], [])).toEqual([HOURS[1]]);
});

test("a weekday whose hours are changed and changed back has the same rules as before", () => {
  fc.assert(
    fc.property(fc.subarray([...WEEK], { minLength: 1 }), fc.constantFrom(...WEEK), (days, day) => {
      const before = [rule(days.join(" "), "09:00", "18:00")];
      const changed = withDayHours(before, [day], [opening("10:00", "11:00")]);
      const back = withDayHours(
        changed,
        [day],
        days.includes(day) ? [opening("09:00", "18:00")] : [],
      );
      expect(back).toEqual(before);
    }),
    { numRuns: 30 },
  );
});
