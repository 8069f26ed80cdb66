import { describe, expect, test } from "vitest";
import { buildStaffMember, buildService } from "../../support/catalog-builders.ts";
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
import { aResource } from "./documents.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("a class", () => {
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
    resource: [aResource("hall")],
    schedule: mornings,
    policy: hourly,
  });
  const asked = (guests: number) => ({ on: MONDAY, services: [serviceRequest("yoga")], guests });

  test("that has started has seats for others, although its teacher and its hall are taken", () => {
    const three = bookSlot(shop, asked(3), on("10:00"));
    const found = listTestSlots(shop, { ...asked(1), rows: three });
    expect(found.map(({ startMin, spotsLeft }) => [startMin, spotsLeft])).toEqual([
      [minuteAt(shop, on("10:00")), 1],
    ]);
    expect(startTimes(shop, { ...asked(2), rows: three })).toBe("");
    expect(refusalAt(shop, { ...asked(2), rows: three }, on("10:00"))).toBe("SEATS_TAKEN");
    const full = [...three, ...bookSlot(shop, { ...asked(1), rows: three }, on("10:00"))];
    expect(listDays(shop, { ...asked(1), rows: full })[0]?.state).toBe("FULL");
  });

  test("takes its hall once, however many come", () => {
    const roomy = createShop({
      ...shop.objects,
      resource: [aResource("hall", { capacity: 2 })],
      schedule: mornings,
      policy: hourly,
    });
    roomy.objects.staff = [buildStaffMember("ann"), buildStaffMember("bea")];
    const first = bookSlot(roomy, asked(1), on("10:00"));
    const rows = [...first, ...bookSlot(roomy, { ...asked(2), rows: first }, on("10:00"))];
    const slot = listTestSlots(roomy, { ...asked(4), rows }).find(
      ({ startMin }) => startMin === minuteAt(roomy, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 4,
      segments: [{ staffKey: "bea", staffKeys: ["bea"] }],
    });
  });

  test("is filled before another is started", () => {
    const both = createShop({
      ...shop.objects,
      service: [{ ...yoga, resources: [] }],
      schedule: mornings,
      policy: hourly,
    });
    both.objects.staff = [buildStaffMember("ann"), buildStaffMember("bea")];
    const rows = bookSlot(
      both,
      { ...asked(1), services: [serviceRequest("yoga", { staff: "bea" })] },
      on("10:00"),
    );
    const slot = listTestSlots(both, { ...asked(1), rows }).find(
      ({ startMin }) => startMin === minuteAt(both, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 3,
      spotsTotal: 4,
      segments: [{ staffKey: "bea", staffKeys: ["ann", "bea"] }],
    });
  });

  test("keeps its teacher from other work, and other work the teacher from it", () => {
    const rows = bookSlot(shop, asked(1), on("10:00"));
    expect(startTimes(shop, { on: MONDAY, services: [serviceRequest("massage")], rows })).toBe(
      "11:00",
    );
    const massage = bookSlot(
      shop,
      { on: MONDAY, services: [serviceRequest("massage")] },
      on("09:00"),
    );
    expect(startTimes(shop, { ...asked(1), rows: massage })).toBe("11:00");
  });

  test("that began off the grid can be joined when it began, unless its teacher is now away", () => {
    const rows = [
      busyInterval(shop, on("09:40"), on("10:40"), { staffKey: "ann", serviceKey: "yoga" }),
    ];
    expect(startTimes(shop, { ...asked(1), rows })).toBe("09:40 11:00");
    const away = createShop({ ...shop.objects, schedule: mornings, policy: hourly });
    away.objects.staff = [
      buildStaffMember("ann", {
        timeOff: [
          { from: minuteAt(shop, on("10:00")) * 60_000, to: minuteAt(shop, on("10:30")) * 60_000 },
        ],
      }),
    ];
    expect(startTimes(away, { ...asked(1), rows })).toBe("11:00");
  });

  test("that a longer visit has started off the grid can be joined then", () => {
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
    expect(startTimes(studio, { ...asked(1), rows: bookSlot(studio, visit, on("10:00")) })).toBe(
      "09:00 10:20",
    );
  });
});
