import { describe, expect, test } from "vitest";
import { checkStart } from "../../../../src/domain/availability/slot.ts";
import { formatMinute } from "../../../../src/domain/availability/wall-clock.ts";
import { buildStaffMember, buildService } from "../../../support/catalog-builders.ts";
import {
  createShop,
  bookSlot,
  busyInterval,
  dailyHours,
  listDays,
  type TestRequest,
  searchFor,
  listTestSlots,
  startTimes,
  refusalAt,
  serviceRequest,
} from "../requests.ts";

/** The tests are named after reports of failures of other systems. */

const ann = buildStaffMember("ann");
const cut = (fields = {}) => buildService("cut", { durationMin: 60, staff: ["ann"], ...fields });
const MONDAY = { on: "2026-11-23", services: [serviceRequest("cut")] };

describe("Cal.com", () => {
  test("Cal.com #30021: afternoon shifts keep their local times on the day of a clock change", () => {
    const shop = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("13:00", "18:00")] },
      policy: { slotIntervalMin: 60 },
    });
    const found = listTestSlots(shop, { on: "2026-03-08", services: [serviceRequest("cut")] });
    expect(found.map(({ startMin }) => formatMinute(startMin, "UTC").slice(11, 16))).toEqual([
      "17:00",
      "18:00",
      "19:00",
      "20:00",
      "21:00",
    ]);
    expect(formatMinute(found.at(-1)!.endMin, "UTC")).toBe("2026-03-08T22:00:00+00:00");
  });

  test("Cal.com #29532, #6622, #20406, #23391: every offered slot can be booked", () => {
    const bea = buildStaffMember("bea", { hours: [dailyHours("11:00", "15:00")] });
    const shop = createShop({
      service: [cut({ staff: ["ann", "bea"], bufferBeforeMin: 10, bufferAfterMin: 15 })],
      staff: [ann, bea],
      schedule: { hours: [dailyHours("09:00", "17:00")] },
    });
    const request: TestRequest = { ...MONDAY, busyIntervals: [] };
    let taken = 0;
    for (
      let [first] = listTestSlots(shop, request);
      first !== undefined;
      [first] = listTestSlots(shop, request)
    ) {
      for (const slot of listTestSlots(shop, request))
        expect(checkStart(searchFor(shop, request), slot.startMin)).toEqual({ ok: true, slot });
      request.busyIntervals?.push(
        ...bookSlot(shop, request, formatMinute(first.startMin, "America/New_York").slice(0, 16)),
      );
      taken += 1;
    }
    // Ann's bookings begin every 75 minutes from 9:00, and Bea's from 11:00. The last bookings need
    // no buffer.
    expect(taken).toBe(6 + 3);
    expect(listDays(shop, request)[0]?.state).toBe("FULL");
  });

  test("Cal.com #3662, #24253: buffers count once, and may extend beyond opening hours", () => {
    const shop = createShop({
      service: [cut({ bufferBeforeMin: 15, bufferAfterMin: 15 })],
      staff: [ann],
      schedule: { hours: [dailyHours("09:00", "14:30")] },
    });
    const noon = busyInterval(shop, "2026-11-23T11:15", "2026-11-23T12:15", {
      staffKey: "ann",
      serviceKey: "cut",
      bufferBeforeMin: 15,
      bufferAfterMin: 15,
    });
    expect(startTimes(shop, { ...MONDAY, busyIntervals: [noon] })).toBe(
      "09:00 09:15 09:30 09:45 10:00 12:30 12:45 13:00 13:15 13:30",
    );
    shop.business.bookingPolicy.bufferPolicy = "SUM";
    expect(startTimes(shop, { ...MONDAY, busyIntervals: [noon] })).toBe(
      "09:00 09:15 09:30 09:45 12:45 13:00 13:15 13:30",
    );
  });

  test("Cal.com #5587, #17347: slots that start at, end at or cross midnight are offered", () => {
    const night = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("22:00", "26:00", { days: ["mon"] })] },
      policy: { slotIntervalMin: 30 },
    });
    expect(startTimes(night, MONDAY)).toBe("22:00 22:30 23:00 23:30");
    expect(startTimes(night, { ...MONDAY, on: "2026-11-24" })).toBe("00:00 00:30 01:00");
    const untilMidnight = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("22:00", "24:00")] },
    });
    expect(startTimes(untilMidnight, MONDAY)).toBe("22:00 22:15 22:30 22:45 23:00");
    const always = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("00:00", "24:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(startTimes(always, MONDAY).split(" ")).toEqual(
      Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`),
    );
  });

  test("the grid follows the business's time zone, even for viewers whose clocks differ by half an hour", () => {
    const kolkata = createShop({
      zone: "Asia/Kolkata",
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("09:00", "12:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(startTimes(kolkata, MONDAY)).toBe("09:00 10:00 11:00");
    expect(startTimes(kolkata, MONDAY, "Europe/London")).toBe("03:30 04:30 05:30");
    const newYork = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("09:00", "12:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(startTimes(newYork, MONDAY, "Asia/Kolkata")).toBe("19:30 20:30 21:30");
  });

  test("a service of 75 minutes with a buffer of 15 fits into a gap of 90 minutes", () => {
    const shop = createShop({
      service: [cut({ durationMin: 75, bufferBeforeMin: 15 })],
      staff: [ann],
      schedule: { hours: [dailyHours("09:00", "17:00")] },
    });
    const busyIntervals = [
      busyInterval(shop, "2026-11-23T09:00", "2026-11-23T10:00", {
        staffKey: "ann",
        bufferAfterMin: 15,
      }),
      busyInterval(shop, "2026-11-23T11:30", "2026-11-23T17:00", { staffKey: "ann" }),
    ];
    expect(startTimes(shop, { ...MONDAY, busyIntervals })).toBe("10:15");
    shop.business.bookingPolicy.bufferPolicy = "SUM";
    expect(startTimes(shop, { ...MONDAY, busyIntervals })).toBe("");
    expect(refusalAt(shop, { ...MONDAY, busyIntervals }, "2026-11-23T10:15")).toBe("BUFFER");
  });
});

describe("Easy!Appointments", () => {
  test("a booking strictly inside a slot blocks it", () => {
    const shop = createShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("09:00", "12:00")] },
    });
    const busyIntervals = [
      busyInterval(shop, "2026-11-23T10:20", "2026-11-23T10:40", { staffKey: "ann" }),
    ];
    expect(startTimes(shop, { ...MONDAY, busyIntervals })).toBe("09:00 09:15 10:45 11:00");
    expect(refusalAt(shop, { ...MONDAY, busyIntervals }, "2026-11-23T10:00")).toBe("TAKEN");
  });

  test("shifts can end after midnight", () => {
    const shop = createShop({
      service: [cut({ durationMin: 120 })],
      staff: [
        buildStaffMember("ann", { hours: [dailyHours("23:00", "25:00", { days: ["sun"] })] }),
      ],
    });
    expect(startTimes(shop, { ...MONDAY, on: "2026-11-22", to: "2026-11-23" })).toBe("23:00");
  });

  test("a day begins at midnight of the business, not of the server", () => {
    const auckland = createShop({
      zone: "Pacific/Auckland",
      service: [cut()],
      staff: [ann],
      schedule: { hours: [dailyHours("08:00", "10:00", { days: ["mon"] })] },
      policy: { slotIntervalMin: 60, maxAdvanceDays: 1 },
    });
    // The time is Sunday morning on the server, and late Sunday evening in Auckland.
    const now = "2026-11-22T09:30:00Z";
    expect(startTimes(auckland, { ...MONDAY, now })).toBe("08:00 09:00");
    expect(formatMinute(listTestSlots(auckland, { ...MONDAY, now })[0]!.startMin, "UTC")).toBe(
      "2026-11-22T19:00:00+00:00",
    );
    expect(listDays(auckland, { ...MONDAY, on: "2026-11-24", now })[0]?.state).toBe("TOO_FAR");
  });
});
