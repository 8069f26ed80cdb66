import { describe, expect, test } from "vitest";
import { buildResource, buildService, buildStaffMember } from "../../support/catalog-builders.ts";
import {
  createShop,
  minuteAt,
  bookSlot,
  busyInterval,
  dailyHours,
  listDays,
  listTestSlots,
  startTimes,
  refusalAt,
  serviceRequest,
} from "./requests.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("a session", () => {
  const yoga = buildService("yoga", {
    durationMin: 60,
    capacity: 4,
    bufferBeforeMin: 15,
    staff: ["ann", "bea"],
    resources: [{ resource: "hall", units: 1 }],
  });
  const shop = createShop({
    service: [yoga, buildService("massage", { durationMin: 60, staff: ["ann"] })],
    staff: [buildStaffMember("ann"), buildStaffMember("bea", { hours: [] })],
    resource: [buildResource("hall")],
    schedule: mornings,
    policy: hourly,
  });
  const requestFor = (guests: number) => ({
    on: MONDAY,
    services: [serviceRequest("yoga")],
    guests,
  });

  test("a session has seats for other guests although its staff and resource are taken", () => {
    const three = bookSlot(shop, requestFor(3), on("10:00"));
    const found = listTestSlots(shop, { ...requestFor(1), busyIntervals: three });
    expect(found.map(({ startMin, spotsLeft }) => [startMin, spotsLeft])).toEqual([
      [minuteAt(shop, on("10:00")), 1],
    ]);
    expect(startTimes(shop, { ...requestFor(2), busyIntervals: three })).toBe("");
    expect(refusalAt(shop, { ...requestFor(2), busyIntervals: three }, on("10:00"))).toBe(
      "SEATS_TAKEN",
    );
    const full = [
      ...three,
      ...bookSlot(shop, { ...requestFor(1), busyIntervals: three }, on("10:00")),
    ];
    expect(listDays(shop, { ...requestFor(1), busyIntervals: full })[0]?.state).toBe("FULL");
  });

  test("a session uses its resource once for all guests", () => {
    const roomy = createShop({
      ...shop.objects,
      resource: [buildResource("hall", { capacity: 2 })],
      schedule: mornings,
      policy: hourly,
    });
    roomy.objects.staff = [buildStaffMember("ann"), buildStaffMember("bea")];
    const first = bookSlot(roomy, requestFor(1), on("10:00"));
    const busyIntervals = [
      ...first,
      ...bookSlot(roomy, { ...requestFor(2), busyIntervals: first }, on("10:00")),
    ];
    const slot = listTestSlots(roomy, { ...requestFor(4), busyIntervals }).find(
      ({ startMin }) => startMin === minuteAt(roomy, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 4,
      segments: [{ staffKey: "bea", staffKeys: ["bea"] }],
    });
  });

  test("a session without staff is not overbooked, although its resource could hold another session", () => {
    const swim = buildService("swim", {
      durationMin: 60,
      capacity: 2,
      resources: [{ resource: "pool", units: 1 }],
    });
    const baths = createShop({
      service: [swim],
      resource: [buildResource("pool", { capacity: 2 })],
      schedule: mornings,
      policy: hourly,
    });
    const swimming = { on: MONDAY, services: [serviceRequest("swim")] };
    const two = bookSlot(baths, { ...swimming, guests: 2 }, on("10:00"));
    const wish = { ...swimming, guests: 1, busyIntervals: two };
    expect(startTimes(baths, wish)).not.toContain("10:00");
    expect(refusalAt(baths, wish, on("10:00"))).toBe("SEATS_TAKEN");
    const one = bookSlot(baths, { ...swimming, guests: 1 }, on("10:00"));
    expect(startTimes(baths, { ...swimming, guests: 2, busyIntervals: one })).not.toContain(
      "10:00",
    );
  });

  test("a session is filled before another one starts", () => {
    const both = createShop({
      ...shop.objects,
      service: [{ ...yoga, resources: [] }],
      schedule: mornings,
      policy: hourly,
    });
    both.objects.staff = [buildStaffMember("ann"), buildStaffMember("bea")];
    const busyIntervals = bookSlot(
      both,
      { ...requestFor(1), services: [serviceRequest("yoga", { staff: "bea" })] },
      on("10:00"),
    );
    const slot = listTestSlots(both, { ...requestFor(1), busyIntervals }).find(
      ({ startMin }) => startMin === minuteAt(both, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 3,
      spotsTotal: 4,
      segments: [{ staffKey: "bea", staffKeys: ["ann", "bea"] }],
    });
  });

  test("a session blocks its staff for other services, and a booking of another service blocks the session", () => {
    const busyIntervals = bookSlot(shop, requestFor(1), on("10:00"));
    expect(
      startTimes(shop, { on: MONDAY, services: [serviceRequest("massage")], busyIntervals }),
    ).toBe("11:00");
    const massage = bookSlot(
      shop,
      { on: MONDAY, services: [serviceRequest("massage")] },
      on("09:00"),
    );
    expect(startTimes(shop, { ...requestFor(1), busyIntervals: massage })).toBe("11:00");
  });

  test("a session off the grid can be joined, unless its staff member now has time off", () => {
    const busyIntervals = [
      busyInterval(shop, on("09:40"), on("10:40"), { staffKey: "ann", serviceKey: "yoga" }),
    ];
    expect(startTimes(shop, { ...requestFor(1), busyIntervals })).toBe("09:40 11:00");
    const away = createShop({ ...shop.objects, schedule: mornings, policy: hourly });
    away.objects.staff = [
      buildStaffMember("ann", {
        timeOff: [
          { from: minuteAt(shop, on("10:00")) * 60_000, to: minuteAt(shop, on("10:30")) * 60_000 },
        ],
      }),
    ];
    expect(startTimes(away, { ...requestFor(1), busyIntervals })).toBe("11:00");
  });

  test("a session that a longer visit started off the grid can be joined", () => {
    const studio = createShop({
      service: [
        buildService("warm-up", { durationMin: 20, staff: ["ann"] }),
        { ...yoga, bufferBeforeMin: 0, resources: [] },
      ],
      staff: [buildStaffMember("ann")],
      schedule: mornings,
      policy: hourly,
    });
    const visit = { on: MONDAY, services: [serviceRequest("warm-up"), serviceRequest("yoga")] };
    expect(
      startTimes(studio, { ...requestFor(1), busyIntervals: bookSlot(studio, visit, on("10:00")) }),
    ).toBe("09:00 10:20");
  });
});
