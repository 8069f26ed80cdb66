import { describe, expect, test } from "vitest";
import { buildResource, buildService, buildStaffMember } from "../../support/catalog-builders.ts";
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

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("resources", () => {
  const room = buildResource("room", { capacity: 2 });
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
  const request = { on: MONDAY, services: [serviceRequest("massage")] };

  test("resources limit parallel bookings even if staff is free", () => {
    const first = bookSlot(shop, request, on("10:00"));
    const second = bookSlot(shop, { ...request, busyIntervals: first }, on("10:00"));
    expect([first[0]?.staffKey, second[0]?.staffKey]).toEqual(["ann", "bea"]);
    expect(startTimes(shop, { ...request, busyIntervals: [...first, ...second] })).toBe(
      "09:00 11:00",
    );
  });

  test("resources are counted per minute: two consecutive bookings use one unit", () => {
    const busyIntervals = [
      busyInterval(shop, on("10:00"), on("10:30"), { resources: [{ resource: "room", units: 1 }] }),
      busyInterval(shop, on("10:30"), on("11:00"), { resources: [{ resource: "room", units: 1 }] }),
    ];
    expect(startTimes(shop, { ...request, busyIntervals })).toBe("09:00 10:00 11:00");
  });

  test("a service that needs a resource but no staff can be booked up to the resource's capacity", () => {
    const studio = createShop({
      service: [
        buildService("rehearsal", { durationMin: 60, resources: [{ resource: "room", units: 1 }] }),
      ],
      resource: [room],
      schedule: mornings,
      policy: hourly,
    });
    const rehearsal = { on: MONDAY, services: [serviceRequest("rehearsal")] };
    const once = bookSlot(studio, rehearsal, on("10:00"));
    const spots = (busyIntervals: typeof once) =>
      listTestSlots(studio, { ...rehearsal, busyIntervals }).map(
        (slot) => `${slot.spotsLeft}/${slot.spotsTotal}`,
      );
    expect(spots([])).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots(once)).toEqual(["2/2", "1/2", "2/2"]);
    expect(spots([...once, ...once])).toEqual(["2/2", "2/2"]);
  });

  test("a service that needs several units of a resource has as many spots as the units allow", () => {
    const bikeShop = createShop({
      service: [
        buildService("tandem-tour", {
          durationMin: 60,
          resources: [{ resource: "bike", units: 2 }],
        }),
      ],
      resource: [buildResource("bike", { capacity: 5 })],
      schedule: mornings,
      policy: hourly,
    });
    const tour = { on: MONDAY, services: [serviceRequest("tandem-tour")] };
    const busyIntervals = [
      busyInterval(bikeShop, on("10:00"), on("11:00"), {
        resources: [{ resource: "bike", units: 1 }],
      }),
    ];
    const spots = (more: typeof busyIntervals) =>
      listTestSlots(bikeShop, { ...tour, busyIntervals: more }).map(
        (slot) => `${slot.spotsLeft}/${slot.spotsTotal}`,
      );
    expect(spots(busyIntervals)).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots([...busyIntervals, ...busyIntervals])).toEqual(["2/2", "1/2", "2/2"]);
  });

  test("a service that needs several resources has as many spots as the scarcest allows", () => {
    const studio = createShop({
      service: [
        buildService("rehearsal", {
          durationMin: 60,
          resources: [
            { resource: "room", units: 1 },
            { resource: "amplifier", units: 1 },
          ],
        }),
      ],
      resource: [
        buildResource("room", { capacity: 2 }),
        buildResource("amplifier", { capacity: 5 }),
      ],
      schedule: mornings,
      policy: hourly,
    });
    const resources = [{ resource: "amplifier", units: 4 }];
    const slots = listTestSlots(studio, {
      on: MONDAY,
      services: [serviceRequest("rehearsal")],
      busyIntervals: [busyInterval(studio, on("10:00"), on("11:00"), { resources })],
    });
    expect(slots.map((slot) => `${slot.spotsLeft}/${slot.spotsTotal}`)).toEqual([
      "2/2",
      "1/2",
      "2/2",
    ]);
  });

  test("resources that are inactive cannot be used", () => {
    const broken = {
      ...shop,
      objects: { ...shop.objects, resource: [{ ...room, status: "INACTIVE" as const }] },
    };
    expect(listDays(broken, request)[0]?.state).toBe("CLOSED");
  });
});

describe("a service without staff", () => {
  test("a service without staff follows the business's hours and takes guests up to its capacity", () => {
    const shop = createShop({
      service: [buildService("sauna", { durationMin: 60, capacity: 4 })],
      schedule: mornings,
      policy: { slotIntervalMin: 30 },
    });
    const busyIntervals = [
      busyInterval(shop, on("09:30"), on("10:30"), { serviceKey: "sauna", seats: 3 }),
    ];
    const found = (guests: number) =>
      listTestSlots(shop, {
        on: MONDAY,
        services: [serviceRequest("sauna")],
        guests,
        busyIntervals,
      }).map(({ spotsLeft }) => spotsLeft);
    expect(found(1)).toEqual([1, 1, 1, 4, 4]);
    expect(found(2)).toEqual([4, 4]);
  });
});
