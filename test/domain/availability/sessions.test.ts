import { describe, expect, test } from "vitest";
import { aPerson, aService } from "../../support/catalog.ts";
import { aShop, at, book, busy, daily, days, slots, starts, why, wish } from "./ask.ts";
import { aResource } from "./documents.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [daily("09:00", "12:00")] };

describe("a class", () => {
  const yoga = aService("yoga", {
    durationMin: 60,
    capacity: 4,
    bufferBeforeMin: 15,
    staff: ["ann", "bea"],
    resources: [{ resource: "hall", units: 1 }],
  });
  const shop = aShop({
    service: [yoga, aService("massage", { durationMin: 60, staff: ["ann"] })],
    staff: [aPerson("ann"), aPerson("bea", { hours: [] })],
    resource: [aResource("hall")],
    schedule: mornings,
    policy: hourly,
  });
  const asked = (guests: number) => ({ on: MONDAY, services: [wish("yoga")], guests });

  test("that has started has seats for others, although its teacher and its hall are taken", () => {
    const three = book(shop, asked(3), on("10:00"));
    const found = slots(shop, { ...asked(1), rows: three });
    expect(found.map(({ startMin, spotsLeft }) => [startMin, spotsLeft])).toEqual([
      [at(shop, on("10:00")), 1],
    ]);
    expect(starts(shop, { ...asked(2), rows: three })).toBe("");
    expect(why(shop, { ...asked(2), rows: three }, on("10:00"))).toBe("SEATS_TAKEN");
    const full = [...three, ...book(shop, { ...asked(1), rows: three }, on("10:00"))];
    expect(days(shop, { ...asked(1), rows: full })[0]?.state).toBe("FULL");
  });

  test("takes its hall once, however many come", () => {
    const roomy = aShop({
      ...shop.objects,
      resource: [aResource("hall", { capacity: 2 })],
      schedule: mornings,
      policy: hourly,
    });
    roomy.objects.staff = [aPerson("ann"), aPerson("bea")];
    const first = book(roomy, asked(1), on("10:00"));
    const rows = [...first, ...book(roomy, { ...asked(2), rows: first }, on("10:00"))];
    const slot = slots(roomy, { ...asked(4), rows }).find(
      ({ startMin }) => startMin === at(roomy, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 4,
      segments: [{ staffKey: "bea", staffKeys: ["bea"] }],
    });
  });

  test("is filled before another is started", () => {
    const both = aShop({
      ...shop.objects,
      service: [{ ...yoga, resources: [] }],
      schedule: mornings,
      policy: hourly,
    });
    both.objects.staff = [aPerson("ann"), aPerson("bea")];
    const rows = book(
      both,
      { ...asked(1), services: [wish("yoga", { staff: "bea" })] },
      on("10:00"),
    );
    const slot = slots(both, { ...asked(1), rows }).find(
      ({ startMin }) => startMin === at(both, on("10:00")),
    );
    expect(slot).toMatchObject({
      spotsLeft: 3,
      spotsTotal: 4,
      segments: [{ staffKey: "bea", staffKeys: ["ann", "bea"] }],
    });
  });

  test("keeps its teacher from other work, and other work the teacher from it", () => {
    const rows = book(shop, asked(1), on("10:00"));
    expect(starts(shop, { on: MONDAY, services: [wish("massage")], rows })).toBe("11:00");
    const massage = book(shop, { on: MONDAY, services: [wish("massage")] }, on("09:00"));
    expect(starts(shop, { ...asked(1), rows: massage })).toBe("11:00");
  });

  test("that began off the grid can be joined when it began, unless its teacher is now away", () => {
    const rows = [busy(shop, on("09:40"), on("10:40"), { staffKey: "ann", serviceKey: "yoga" })];
    expect(starts(shop, { ...asked(1), rows })).toBe("09:40 11:00");
    const away = aShop({ ...shop.objects, schedule: mornings, policy: hourly });
    away.objects.staff = [
      aPerson("ann", {
        timeOff: [{ from: at(shop, on("10:00")) * 60_000, to: at(shop, on("10:30")) * 60_000 }],
      }),
    ];
    expect(starts(away, { ...asked(1), rows })).toBe("11:00");
  });

  test("that a longer visit has started off the grid can be joined then", () => {
    const studio = aShop({
      service: [
        aService("warm-up", { durationMin: 20, staff: ["ann"] }),
        { ...yoga, bufferBeforeMin: 0, resources: [] },
      ],
      staff: [aPerson("ann")],
      schedule: mornings,
      policy: hourly,
    });
    const visit = { on: MONDAY, services: [wish("warm-up"), wish("yoga")] };
    expect(starts(studio, { ...asked(1), rows: book(studio, visit, on("10:00")) })).toBe(
      "09:00 10:20",
    );
  });
});
