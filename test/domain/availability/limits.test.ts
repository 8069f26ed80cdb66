import { describe, expect, test } from "vitest";
import { aPerson, aService } from "../../support/catalog.ts";
import { aShop, book, busy, daily, days, slots, starts, wish } from "./ask.ts";
import { aResource } from "./documents.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [daily("09:00", "12:00")] };

describe("rooms and chairs", () => {
  const room = aResource("room", { capacity: 2 });
  const massage = aService("massage", {
    durationMin: 60,
    staff: ["ann", "bea", "cid"],
    resources: [{ resource: "room", units: 1 }],
  });
  const people = ["ann", "bea", "cid"].map((key) => aPerson(key));
  const shop = aShop({
    service: [massage],
    resource: [room],
    staff: people,
    schedule: mornings,
    policy: hourly,
  });
  const enquiry = { on: MONDAY, services: [wish("massage")] };

  test("limit how many are treated at once, though somebody is free", () => {
    const first = book(shop, enquiry, on("10:00"));
    const second = book(shop, { ...enquiry, rows: first }, on("10:00"));
    expect([first[0]?.staffKey, second[0]?.staffKey]).toEqual(["ann", "bea"]);
    expect(starts(shop, { ...enquiry, rows: [...first, ...second] })).toBe("09:00 11:00");
  });

  test("are counted at each moment: two that follow one another take one room", () => {
    const rows = [
      busy(shop, on("10:00"), on("10:30"), { resources: [{ resource: "room", units: 1 }] }),
      busy(shop, on("10:30"), on("11:00"), { resources: [{ resource: "room", units: 1 }] }),
    ];
    expect(starts(shop, { ...enquiry, rows })).toBe("09:00 10:00 11:00");
  });

  test("that are let on their own can be had as often as there are of them", () => {
    const lets = aShop({
      service: [
        aService("rehearsal", { durationMin: 60, resources: [{ resource: "room", units: 1 }] }),
      ],
      resource: [room],
      schedule: mornings,
      policy: hourly,
    });
    const asked = { on: MONDAY, services: [wish("rehearsal")] };
    const once = book(lets, asked, on("10:00"));
    const spots = (rows: typeof once) =>
      slots(lets, { ...asked, rows }).map((slot) => `${slot.spotsLeft}/${slot.spotsTotal}`);
    expect(spots([])).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots(once)).toEqual(["2/2", "1/2", "2/2"]);
    expect(spots([...once, ...once])).toEqual(["2/2", "2/2"]);
  });

  test("of which several are needed at once leave as many spots as they can make up", () => {
    const bikes = aShop({
      service: [
        aService("tandem-tour", { durationMin: 60, resources: [{ resource: "bike", units: 2 }] }),
      ],
      resource: [aResource("bike", { capacity: 5 })],
      schedule: mornings,
      policy: hourly,
    });
    const asked = { on: MONDAY, services: [wish("tandem-tour")] };
    const rows = [
      busy(bikes, on("10:00"), on("11:00"), { resources: [{ resource: "bike", units: 1 }] }),
    ];
    const spots = (more: typeof rows) =>
      slots(bikes, { ...asked, rows: more }).map((slot) => `${slot.spotsLeft}/${slot.spotsTotal}`);
    expect(spots(rows)).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots([...rows, ...rows])).toEqual(["2/2", "1/2", "2/2"]);
  });

  test("that are out of use cannot be used", () => {
    const broken = {
      ...shop,
      objects: { ...shop.objects, resource: [{ ...room, status: "INACTIVE" as const }] },
    };
    expect(days(broken, enquiry)[0]?.state).toBe("CLOSED");
  });
});

describe("a service for which nobody is needed", () => {
  test("is open as the business is, and holds as many guests at once as it has places", () => {
    const shop = aShop({
      service: [aService("sauna", { durationMin: 60, capacity: 4 })],
      schedule: mornings,
      policy: { slotIntervalMin: 30 },
    });
    const rows = [busy(shop, on("09:30"), on("10:30"), { serviceKey: "sauna", seats: 3 })];
    const found = (guests: number) =>
      slots(shop, { on: MONDAY, services: [wish("sauna")], guests, rows }).map(
        ({ spotsLeft }) => spotsLeft,
      );
    expect(found(1)).toEqual([1, 1, 1, 4, 4]);
    expect(found(2)).toEqual([4, 4]);
  });
});
