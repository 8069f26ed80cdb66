import { expect, test } from "vitest";
import { fitsWeek } from "../../../src/domain/bookings/hold.ts";

test("a hold fits if holds take at most a tenth of the free time in each seven-day period that includes the hold", () => {
  const today = 100;
  const day = 103;
  const minutes = 60;
  const free = new Map([[day, 2000]]);
  /**
   * Returns whether another hold fits beside a hold of 60 minutes on `heldDay` if `extra` adds free
   * time.
   */
  const fits = (extra: [day: number, minutes: number][], heldDay = day) =>
    fitsWeek(
      { today, free: new Map([...free, ...extra]), held: new Map([[heldDay, 60]]) },
      day,
      minutes,
    );
  expect(fits([])).toBe(true);
  free.set(day, 1000);
  expect(fits([])).toBe(false);
  // Every week that contains the hold needs enough free time. A day before the hold is not in the
  // week that begins with the hold, and a day after the hold is not in the week that ends with it.
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
