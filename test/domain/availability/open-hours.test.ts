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

test("a closure cuts the hours of the previous evening at midnight, and keeps the hours after its last midnight", () => {
  const closing = (closure: ScheduleDoc["closures"][number]) => (date: string) =>
    hoursOn({ ...schedule, closures: [closure], exceptions: [] }, "Europe/Lisbon", date);
  const yearly = closing({ name: "Christmas Day", yearly: "12-25" });
  expect(yearly("2026-12-24")).toEqual([{ start: 1080, end: 1440 }]);
  expect(yearly("2026-12-25")).toEqual([]);
  const once = closing({ name: "Works", from: "2026-11-27", to: "2026-11-28" });
  expect(once("2026-11-26")).toEqual([{ start: 1080, end: 1440 }]);
  const before = closing({ name: "Works", from: "2026-11-25", to: "2026-11-26" });
  expect(before("2026-11-26")).toEqual([{ start: 1440, end: 1560 }]);
});

test("hours of two days are not merged at midnight", () => {
  const nights: ScheduleDoc = {
    ...emptySchedule(),
    hours: [{ days: ["thu", "fri"], start: "00:00", end: "24:00", validFrom: null, validTo: null }],
  };
  expect(hoursOn(nights, "Europe/Lisbon", "2026-11-26")).toEqual([{ start: 0, end: 1440 }]);
});
