import { BOOKING_RULE_DEFAULTS } from "../../../src/domain/catalog/file/services.ts";
import { describe, expect, test } from "vitest";
import { checkStart } from "../../../src/domain/availability/slot.ts";
import { buildStaffMember, buildService } from "../../support/catalog-builders.ts";
import {
  createShop,
  minuteAt,
  busyInterval,
  dailyHours,
  listDays,
  searchFor,
  refusedStarts,
  startTimes,
  serviceRequest,
} from "./requests.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };

describe("the grid", () => {
  const ann = buildStaffMember("ann", {
    hours: [dailyHours("09:20", "11:10")],
    breaks: [dailyHours("10:00", "10:10")],
  });
  const cut = buildService("cut", { durationMin: 30, staff: ["ann"] });
  const ask = (policy: object, fields = {}) =>
    startTimes(createShop({ service: [{ ...cut, ...fields }], staff: [ann], policy }), {
      on: MONDAY,
      services: [serviceRequest("cut")],
    });

  test("the grid counts from midnight in the business's time zone", () => {
    expect(ask({ slotIntervalMin: 20 })).toBe("09:20 10:20 10:40");
    expect(ask({ slotIntervalMin: 25 })).toBe("10:25");
  });

  test("the grid counts from the start of the shift, and goes on during breaks", () => {
    expect(ask({ grid: "OPENING", slotIntervalMin: 20 })).toBe("09:20 10:20 10:40");
    expect(ask({ grid: "OPENING", slotIntervalMin: 25 })).toBe("09:20 10:10 10:35");
  });

  test("the grid uses the service's own interval if it has one", () => {
    expect(ask({}, { bookingRules: { ...BOOKING_RULE_DEFAULTS, slotIntervalMin: 60 } })).toBe("");
  });

  test("the grid includes both instants of a repeated hour and none of a skipped one", () => {
    const shop = createShop({
      service: [buildService("sauna")],
      schedule: { hours: [dailyHours("00:00", "05:00")] },
      policy: hourly,
    });
    const ask = (on: string) => startTimes(shop, { on, services: [serviceRequest("sauna")] });
    expect(ask("2026-11-01")).toBe("00:00 01:00 01:00 02:00 03:00 04:00");
    expect(ask("2026-03-08")).toBe("00:00 01:00 03:00 04:00");
  });
});

describe("notice and horizon", () => {
  const shop = createShop({
    service: [buildService("sauna", { durationMin: 60 })],
    schedule: { hours: [dailyHours("09:00", "12:00", { days: ["mon", "tue", "wed"] })] },
    policy: { ...hourly, minNoticeMin: 90, maxAdvanceDays: 1 },
  });
  const ask = (now: string) => ({
    on: "2026-11-22",
    to: "2026-11-25",
    services: [serviceRequest("sauna")],
    now,
  });
  const statesAt = (now: string) =>
    listDays(shop, ask(now)).map(
      ({ date, state, slots }) => `${date.slice(8)} ${state} ${slots.length}`,
    );

  test("the minimum notice counts elapsed minutes; the horizon counts calendar days", () => {
    expect(statesAt("2026-11-23T13:30:00Z")).toEqual([
      "22 TOO_SOON 0",
      "23 OPEN 2",
      "24 OPEN 3",
      "25 TOO_FAR 0",
    ]);
    expect(statesAt("2026-11-23T13:30:01Z")).toEqual([
      "22 TOO_SOON 0",
      "23 OPEN 1",
      "24 OPEN 3",
      "25 TOO_FAR 0",
    ]);
    expect(statesAt("2026-11-23T16:00:00Z")).toEqual([
      "22 TOO_SOON 0",
      "23 TOO_SOON 0",
      "24 OPEN 3",
      "25 TOO_FAR 0",
    ]);
    // The notice ends within the last minute of Sunday, so nothing can start on that day.
    expect(statesAt("2026-11-23T03:29:30Z")[0]).toBe("22 TOO_SOON 0");
    expect(statesAt("2026-11-22T04:59:00Z")).toEqual([
      "22 CLOSED 0",
      "23 TOO_FAR 0",
      "24 TOO_FAR 0",
      "25 TOO_FAR 0",
    ]);
  });

  test("each refused start has the first rule that it breaks as its reason", () => {
    const monday = { ...ask("2026-11-23T13:30:01Z"), on: MONDAY, to: MONDAY };
    const busyIntervals = [busyInterval(shop, on("11:00"), on("12:00"), { serviceKey: "sauna" })];
    expect(refusedStarts(shop, { ...monday, busyIntervals }).slice(7, 14)).toEqual([
      "07:00 TOO_SOON",
      "08:00 TOO_SOON",
      "09:00 TOO_SOON",
      "10:00 TOO_SOON",
      "11:00 SEATS_TAKEN",
      "12:00 OUTSIDE_HOURS",
      "13:00 OUTSIDE_HOURS",
    ]);
  });

  test("the check of a start outside the requested days throws", () => {
    const search = searchFor(shop, { ...ask("2026-11-20T00:00Z"), to: "2026-11-22" });
    expect(() => checkStart(search, minuteAt(shop, on("09:00")))).toThrow(RangeError);
  });
});

describe("an unusual day", () => {
  const sauna = {
    service: [buildService("sauna", { durationMin: 60 })],
    schedule: { hours: [dailyHours("00:00", "24:00")] },
  };

  test("a date that the time zone skipped has no slots", () => {
    const apia = createShop({ ...sauna, zone: "Pacific/Apia", policy: { slotIntervalMin: 480 } });
    const request = { on: "2011-12-29", to: "2011-12-31", services: [serviceRequest("sauna")] };
    expect(
      listDays(apia, request).map(({ date, state, slots }) => `${date} ${state} ${slots.length}`),
    ).toEqual(["2011-12-29 OPEN 3", "2011-12-30 CLOSED 0", "2011-12-31 OPEN 3"]);
  });

  test("a day includes the hour that clocks repeat when they go back past midnight", () => {
    const stJohns = createShop({
      ...sauna,
      zone: "America/St_Johns",
      policy: { slotIntervalMin: 30 },
    });
    const saturday = { on: "2010-11-06", services: [serviceRequest("sauna")] };
    expect(startTimes(stJohns, saturday).split(" ").slice(-3)).toEqual(["23:00", "23:30", "23:30"]);
  });
});
