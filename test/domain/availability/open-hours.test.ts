import { expect, test } from "vitest";
import { hoursOn } from "../../../src/domain/availability/open-hours.ts";
import { emptySchedule, type ScheduleDoc } from "../../../src/domain/catalog/catalog.ts";

const schedule: ScheduleDoc = {
  ...emptySchedule(),
  hours: [
    { days: ["thu"], start: "18:00", end: "26:00", validFrom: null, validTo: null },
    { days: ["fri"], start: "10:00", end: "14:00", validFrom: null, validTo: null },
  ],
  closures: [{ name: "Christmas Day", yearly: "12-25" }],
  exceptions: [
    { date: "2026-12-24", mode: "REPLACE", intervals: [{ start: "09:00", end: "14:00" }] },
  ],
};

test("the hours of a date follow its closures and exceptions, and may end on the next day", () => {
  const hours = (date: string) => hoursOn(schedule, "Europe/Lisbon", date);
  expect(hours("2026-11-26")).toEqual([{ start: 1080, end: 1560 }]);
  expect(hours("2026-11-27")).toEqual([{ start: 600, end: 840 }]);
  expect(hours("2026-11-28")).toEqual([]);
  expect(hours("2026-12-24")).toEqual([{ start: 540, end: 840 }]);
  expect(hours("2026-12-25")).toEqual([]);
});
