import { describe, expect, test } from "vitest";
import { buildStaffMember, buildService } from "../../support/catalog-builders.ts";
import {
  createShop,
  bookSlot,
  busyInterval,
  dailyHours,
  listDays,
  listTestSlots,
  startTimes,
  serviceRequest,
} from "./requests.ts";
import { aResource } from "./documents.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("rooms and chairs", () => {
  const room = aResource("room", { capacity: 2 });
  const massage = buildService("massage", {
    durationMin: 60,
    staff: ["ann", "bea", "cid"],
    resources: [{ resource: "room", units: 1 }],
  });
  const people = ["ann", "bea", "cid"].map((key) => buildStaffMember(key));
  const shop = createShop({
    service: [massage],
    resource: [room],
    staff: people,
    schedule: mornings,
    policy: hourly,
  });
  const enquiry = { on: MONDAY, services: [serviceRequest("massage")] };

  test("limit how many are treated at once, though somebody is free", () => {
    const first = bookSlot(shop, enquiry, on("10:00"));
    const second = bookSlot(shop, { ...enquiry, rows: first }, on("10:00"));
    expect([first[0]?.staffKey, second[0]?.staffKey]).toEqual(["ann", "bea"]);
    expect(startTimes(shop, { ...enquiry, rows: [...first, ...second] })).toBe("09:00 11:00");
  });

  test("are counted at each moment: two that follow one another take one room", () => {
    const rows = [
      busyInterval(shop, on("10:00"), on("10:30"), { resources: [{ resource: "room", units: 1 }] }),
      busyInterval(shop, on("10:30"), on("11:00"), { resources: [{ resource: "room", units: 1 }] }),
    ];
    expect(startTimes(shop, { ...enquiry, rows })).toBe("09:00 10:00 11:00");
  });

  test("that are let on their own can be had as often as there are of them", () => {
    const lets = createShop({
      service: [
        buildService("rehearsal", { durationMin: 60, resources: [{ resource: "room", units: 1 }] }),
      ],
      resource: [room],
      schedule: mornings,
      policy: hourly,
    });
    const asked = { on: MONDAY, services: [serviceRequest("rehearsal")] };
    const once = bookSlot(lets, asked, on("10:00"));
    const spots = (rows: typeof once) =>
      listTestSlots(lets, { ...asked, rows }).map((slot) => `${slot.spotsLeft}/${slot.spotsTotal}`);
    expect(spots([])).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots(once)).toEqual(["2/2", "1/2", "2/2"]);
    expect(spots([...once, ...once])).toEqual(["2/2", "2/2"]);
  });

  test("of which several are needed at once leave as many spots as they can make up", () => {
    const bikes = createShop({
      service: [
        buildService("tandem-tour", {
          durationMin: 60,
          resources: [{ resource: "bike", units: 2 }],
        }),
      ],
      resource: [aResource("bike", { capacity: 5 })],
      schedule: mornings,
      policy: hourly,
    });
    const asked = { on: MONDAY, services: [serviceRequest("tandem-tour")] };
    const rows = [
      busyInterval(bikes, on("10:00"), on("11:00"), {
        resources: [{ resource: "bike", units: 1 }],
      }),
    ];
    const spots = (more: typeof rows) =>
      listTestSlots(bikes, { ...asked, rows: more }).map(
        (slot) => `${slot.spotsLeft}/${slot.spotsTotal}`,
      );
    expect(spots(rows)).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots([...rows, ...rows])).toEqual(["2/2", "1/2", "2/2"]);
  });

  test("that are out of use cannot be used", () => {
    const broken = {
      ...shop,
      objects: { ...shop.objects, resource: [{ ...room, status: "INACTIVE" as const }] },
    };
    expect(listDays(broken, enquiry)[0]?.state).toBe("CLOSED");
  });
});

describe("a service for which nobody is needed", () => {
  test("is open as the business is, and holds as many guests at once as it has places", () => {
    const shop = createShop({
      service: [buildService("sauna", { durationMin: 60, capacity: 4 })],
      schedule: mornings,
      policy: { slotIntervalMin: 30 },
    });
    const rows = [busyInterval(shop, on("09:30"), on("10:30"), { serviceKey: "sauna", seats: 3 })];
    const found = (guests: number) =>
      listTestSlots(shop, { on: MONDAY, services: [serviceRequest("sauna")], guests, rows }).map(
        ({ spotsLeft }) => spotsLeft,
      );
    expect(found(1)).toEqual([1, 1, 1, 4, 4]);
    expect(found(2)).toEqual([4, 4]);
  });
});
