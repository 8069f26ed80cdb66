import { describe, expect, test } from "vitest";
import { busyWindow } from "../../../src/domain/availability/busy-window.ts";
import { nextSlots } from "../../../src/domain/availability/next-slots.ts";
import { aPerson, aService, aVariant } from "../../support/catalog.ts";
import { aShop, at, busy, daily, openingsFor, questionOf, wish } from "./ask.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };

describe("the next slots", () => {
  const shop = aShop({
    service: [aService("sauna", { durationMin: 60, variants: [aVariant("long", { durationMin: 120 })] })],
    schedule: { hours: [daily("09:00", "12:00", { validFrom: "2027-01-20", validTo: "2027-01-21" })] },
    policy: { ...hourly, maxAdvanceDays: 62 },
  });
  const next = (limit: number, now = "2026-11-20T12:00:00Z", from = "2026-11-20") => {
    const loaded: string[] = [];
    const found = nextSlots(
      shop,
      questionOf({ on: from, services: [wish("sauna")] }),
      Date.parse(now),
      limit,
      (window) => {
        loaded.push(`${(window.end - window.start) / 1440}`);
        return [busy(shop, "2027-01-20T10:00", "2027-01-20T11:00", { serviceKey: "sauna" })];
      },
    );
    return { found: found.map(({ startMin }) => (startMin - at(shop, "2027-01-20T00:00")) / 60), loads: loaded.length };
  };

  test("are looked for a month at a time, up to the horizon", () => {
    expect(next(2)).toEqual({ found: [9, 11], loads: 2 });
    expect(next(99)).toEqual({ found: [9, 11, 33, 34, 35], loads: 3 });
    expect(next(1, "2026-11-10T12:00:00Z")).toEqual({ found: [], loads: 2 });
  });

  test("begin neither before the day that is asked for nor before now", () => {
    expect(next(1, "2027-01-20T15:30:00Z").found).toEqual([11]);
    expect(next(1, "2026-11-25T12:00:00Z", "2027-01-21").found).toEqual([33]);
  });
});

test("the window to load reaches back by the longest service and twice the longest buffer", () => {
  const shop = aShop({
    service: [
      aService("cut", { durationMin: 60, bufferAfterMin: 20, staff: ["ann"] }),
      aService("bridal", { durationMin: 100, variants: [aVariant("party", { durationMin: 300 })], staff: ["ann"] }),
    ],
    staff: [aPerson("ann", { serviceOverrides: [{ service: "bridal", durationMin: 360, priceCents: null }] })],
  });
  const { plan } = openingsFor(shop, { on: MONDAY, services: [wish("cut")] });
  expect(busyWindow(plan)).toEqual({ start: at(shop, on("00:00")) - 400, end: at(shop, "2026-11-24T00:00") + 400 });
});
