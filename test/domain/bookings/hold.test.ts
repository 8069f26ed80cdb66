import { expect, test } from "vitest";
import { fitsWeek } from "../../../src/domain/bookings/hold.ts";

test("a hold fits if all holds take at most a tenth of the free time in every seven days that include it, from today on", () => {
  const today = 100;
  const day = 103;
  const minutes = 60;
  const free = new Map([[day, 2000]]);
  /** Returns whether another hold fits beside one of 60 minutes, with further free time. */
  const fits = (extra: [day: number, minutes: number][], heldDay = day) =>
    fitsWeek(
      { today, free: new Map([...free, ...extra]), held: new Map([[heldDay, 60]]) },
      day,
      minutes,
    );
  expect(fits([])).toBe(true);
  free.set(day, 1000);
  expect(fits([])).toBe(false);
  // The seven days that begin on the day of the hold lack the free time of earlier days.
  expect(fits([[day - 1, 1000]])).toBe(false);
  expect(fits([[day + 6, 1000]])).toBe(false);
  expect(
    fits([
      [day - 1, 1000],
      [day + 6, 1000],
    ]),
  ).toBe(true);
  expect(fits([], day - 7)).toBe(true);
});
