import { describe, expect, test } from "vitest";
import type { BusyRow } from "../../../src/domain/availability/question.ts";
import { aPerson, aService } from "../../support/catalog.ts";
import { aShop, at, busy, daily, slots, why, wish } from "./ask.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [daily("09:00", "12:00")] };

describe("a visit of several services", () => {
  const shop = aShop({
    service: [
      aService("cut", { durationMin: 60, staff: ["ann", "bea"], bufferAfterMin: 30 }),
      aService("color", { durationMin: 60, staff: ["bea", "cid"], bufferBeforeMin: 30 }),
      aService("sauna", { durationMin: 30 }),
    ],
    staff: [aPerson("ann"), aPerson("bea"), aPerson("cid")],
    schedule: { hours: [daily("09:00", "13:00")] },
    policy: hourly,
  });
  const visit = { on: MONDAY, services: [wish("cut"), wish("color")] };
  const told = (rows: BusyRow[] = [], catalog = shop, asked: typeof visit = visit) =>
    slots(catalog, { ...asked, rows }).map(({ startMin, segments }) =>
      [
        (startMin - at(shop, on("00:00"))) / 60,
        ...segments.map(({ staffKey }) => staffKey ?? "-"),
      ].join(" "),
    );

  test("is done by one person if one can do it all, without buffers in between", () => {
    expect(told()).toEqual(["9 bea bea", "10 bea bea", "11 bea bea"]);
  });

  test("changes person where nobody can do it all", () => {
    expect(told([busy(shop, on("12:00"), on("13:00"), { staffKey: "bea" })])).toEqual([
      "9 bea bea",
      "10 bea bea",
      "11 ann cid",
    ]);
  });

  test("tells all who could take each segment", () => {
    const [first] = slots(shop, visit);
    expect(first?.segments.map(({ staffKeys }) => staffKeys)).toEqual([
      ["ann", "bea"],
      ["bea", "cid"],
    ]);
  });

  test("waits between two services for as long as the business allows, and no longer", () => {
    const rows = [
      busy(shop, on("10:00"), on("10:20"), { staffKey: "bea" }),
      busy(shop, on("10:00"), on("10:20"), { staffKey: "cid" }),
    ];
    const nine = { ...visit, services: [wish("cut", { staff: "ann" }), wish("color")] };
    const patient = (maxGapMin: number) => {
      const catalog = {
        ...shop,
        business: {
          ...shop.business,
          bookingPolicy: { ...shop.business.bookingPolicy, maxGapMin },
        },
      };
      return slots(catalog, { ...nine, rows }).map(({ segments }) =>
        segments.map((s) => s.startMin - at(shop, on("09:00"))),
      );
    };
    expect(patient(49)).toEqual([
      [60, 120],
      [120, 180],
    ]);
    // Twenty past ten, and half an hour's buffer.
    expect(patient(50)).toEqual([
      [0, 110],
      [60, 120],
      [120, 180],
    ]);
  });

  test("is refused for the segment that stops it", () => {
    const rows = ["bea", "cid"].map((staffKey) =>
      busy(shop, on("10:00"), on("11:00"), { staffKey }),
    );
    expect(why(shop, { ...visit, rows }, on("09:00"))).toBe("TAKEN 1");
  });

  test("keeps its person through a service for which nobody is needed", () => {
    const asked = { on: MONDAY, services: [wish("cut"), wish("sauna"), wish("color")] };
    expect(told([], shop, asked)).toEqual(["9 bea - bea", "10 bea - bea"]);
  });

  test("is found where only a later start of its middle leads to its end", () => {
    const dye = aShop({
      service: ["one", "two", "three"].map((key, i) =>
        aService(key, { durationMin: 30, staff: [["ann"], ["bea"], ["cid"]][i] ?? [] }),
      ),
      staff: [aPerson("ann"), aPerson("bea"), aPerson("cid", { hours: [daily("10:10", "12:00")] })],
      schedule: mornings,
      policy: { ...hourly, maxGapMin: 10 },
    });
    const [nine] = slots(dye, { on: MONDAY, services: [wish("one"), wish("two"), wish("three")] });
    expect(nine?.segments.map(({ startMin }) => startMin - at(dye, on("09:00")))).toEqual([
      0, 30, 70,
    ]);
  });
});
