import { describe, expect, test } from "vitest";
import { isBookable } from "../../../src/domain/availability/bookable.ts";
import { formatMinute } from "../../../src/domain/availability/format.ts";
import { aPerson, aService } from "../../support/catalog.ts";
import {
  aShop,
  book,
  busy,
  daily,
  days,
  type Enquiry,
  openingsFor,
  slots,
  starts,
  why,
  wish,
} from "./ask.ts";

/** Where other systems are known to fail, each named by the report of it. */

const ann = aPerson("ann");
const cut = (fields = {}) => aService("cut", { durationMin: 60, staff: ["ann"], ...fields });
const MONDAY = { on: "2026-11-23", services: [wish("cut")] };

describe("Cal.com", () => {
  test("#30021: shifts that start in the afternoon are an hour late on the day on which clocks change", () => {
    const shop = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("13:00", "18:00")] },
      policy: { slotIntervalMin: 60 },
    });
    const found = slots(shop, { on: "2026-03-08", services: [wish("cut")] });
    expect(found.map(({ startMin }) => formatMinute(startMin, "UTC").slice(11, 16))).toEqual([
      "17:00",
      "18:00",
      "19:00",
      "20:00",
      "21:00",
    ]);
    expect(formatMinute(found.at(-1)!.endMin, "UTC")).toBe("2026-03-08T22:00:00+00:00");
  });

  test("#29532, #6622, #20406, #23391: what is offered cannot be booked", () => {
    const bea = aPerson("bea", { hours: [daily("11:00", "15:00")] });
    const shop = aShop({
      service: [cut({ staff: ["ann", "bea"], bufferBeforeMin: 10, bufferAfterMin: 15 })],
      staff: [ann, bea],
      schedule: { hours: [daily("09:00", "17:00")] },
    });
    const enquiry: Enquiry = { ...MONDAY, rows: [] };
    let taken = 0;
    for (let [first] = slots(shop, enquiry); first !== undefined; [first] = slots(shop, enquiry)) {
      for (const slot of slots(shop, enquiry))
        expect(isBookable(openingsFor(shop, enquiry), slot.startMin)).toEqual({ ok: true, slot });
      enquiry.rows?.push(
        ...book(shop, enquiry, formatMinute(first.startMin, "America/New_York").slice(0, 16)),
      );
      taken += 1;
    }
    // Each hour and a quarter from nine for one, from eleven for the other; the last needs no buffer after it.
    expect(taken).toBe(6 + 3);
    expect(days(shop, enquiry)[0]?.state).toBe("FULL");
  });

  test("#3662, #24253: buffers are counted twice, or not at all, or against the opening hours", () => {
    const shop = aShop({
      service: [cut({ bufferBeforeMin: 15, bufferAfterMin: 15 })],
      staff: [ann],
      schedule: { hours: [daily("09:00", "14:30")] },
    });
    const noon = busy(shop, "2026-11-23T11:15", "2026-11-23T12:15", {
      staffKey: "ann",
      serviceKey: "cut",
      bufferBeforeMin: 15,
      bufferAfterMin: 15,
    });
    expect(starts(shop, { ...MONDAY, rows: [noon] })).toBe(
      "09:00 09:15 09:30 09:45 10:00 12:30 12:45 13:00 13:15 13:30",
    );
    shop.business.bookingPolicy.bufferPolicy = "SUM";
    expect(starts(shop, { ...MONDAY, rows: [noon] })).toBe(
      "09:00 09:15 09:30 09:45 12:45 13:00 13:15 13:30",
    );
  });

  test("#5587, #17347: what begins, ends or goes on at midnight is lost", () => {
    const night = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("22:00", "26:00", { days: ["mon"] })] },
      policy: { slotIntervalMin: 30 },
    });
    expect(starts(night, MONDAY)).toBe("22:00 22:30 23:00 23:30");
    expect(starts(night, { ...MONDAY, on: "2026-11-24" })).toBe("00:00 00:30 01:00");
    const untilMidnight = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("22:00", "24:00")] },
    });
    expect(starts(untilMidnight, MONDAY)).toBe("22:00 22:15 22:30 22:45 23:00");
    const always = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("00:00", "24:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(starts(always, MONDAY).split(" ")).toEqual(
      Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`),
    );
  });

  test("a grid anchored at the viewer loses slots where the zones lie half an hour apart", () => {
    const kolkata = aShop({
      zone: "Asia/Kolkata",
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("09:00", "12:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(starts(kolkata, MONDAY)).toBe("09:00 10:00 11:00");
    expect(starts(kolkata, MONDAY, "Europe/London")).toBe("03:30 04:30 05:30");
    const newYork = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("09:00", "12:00")] },
      policy: { slotIntervalMin: 60 },
    });
    expect(starts(newYork, MONDAY, "Asia/Kolkata")).toBe("19:30 20:30 21:30");
  });

  test("75 minutes with a buffer of 15 are refused in a gap of 90, because both buffers are added up", () => {
    const shop = aShop({
      service: [cut({ durationMin: 75, bufferBeforeMin: 15 })],
      staff: [ann],
      schedule: { hours: [daily("09:00", "17:00")] },
    });
    const rows = [
      busy(shop, "2026-11-23T09:00", "2026-11-23T10:00", { staffKey: "ann", bufferAfterMin: 15 }),
      busy(shop, "2026-11-23T11:30", "2026-11-23T17:00", { staffKey: "ann" }),
    ];
    expect(starts(shop, { ...MONDAY, rows })).toBe("10:15");
    shop.business.bookingPolicy.bufferPolicy = "SUM";
    expect(starts(shop, { ...MONDAY, rows })).toBe("");
    expect(why(shop, { ...MONDAY, rows }, "2026-11-23T10:15")).toBe("BUFFER");
  });
});

describe("Easy!Appointments", () => {
  test("an appointment strictly inside a slot is not seen", () => {
    const shop = aShop({
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("09:00", "12:00")] },
    });
    const rows = [busy(shop, "2026-11-23T10:20", "2026-11-23T10:40", { staffKey: "ann" })];
    expect(starts(shop, { ...MONDAY, rows })).toBe("09:00 09:15 10:45 11:00");
    expect(why(shop, { ...MONDAY, rows }, "2026-11-23T10:00")).toBe("TAKEN");
  });

  test("there are no shifts past midnight", () => {
    const shop = aShop({
      service: [cut({ durationMin: 120 })],
      staff: [aPerson("ann", { hours: [daily("23:00", "25:00", { days: ["sun"] })] })],
    });
    expect(starts(shop, { ...MONDAY, on: "2026-11-22", to: "2026-11-23" })).toBe("23:00");
  });

  test("it is the server's day that counts, not the business's", () => {
    const auckland = aShop({
      zone: "Pacific/Auckland",
      service: [cut()],
      staff: [ann],
      schedule: { hours: [daily("08:00", "10:00", { days: ["mon"] })] },
      policy: { slotIntervalMin: 60, maxAdvanceDays: 1 },
    });
    // Sunday morning at the server, late on Sunday evening in Auckland.
    const now = "2026-11-22T09:30:00Z";
    expect(starts(auckland, { ...MONDAY, now })).toBe("08:00 09:00");
    expect(formatMinute(slots(auckland, { ...MONDAY, now })[0]!.startMin, "UTC")).toBe(
      "2026-11-22T19:00:00+00:00",
    );
    expect(days(auckland, { ...MONDAY, on: "2026-11-24", now })[0]?.state).toBe("TOO_FAR");
  });
});
