import { buildArea, buildTable } from "../../support/catalog-builders.ts";
import { describe, expect, test } from "vitest";
import type { BusyInterval } from "../../../src/domain/availability/request.ts";
import {
  createShop,
  bookSlot,
  dailyHours,
  listTestSlots,
  startTimes,
  refusalAt,
} from "./requests.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };

describe("tables", () => {
  const shop = createShop({
    area: [buildArea("in"), buildArea("out")],
    table: [
      buildTable("four", { minSeats: 2, maxSeats: 4, area: "in" }),
      buildTable("two", { maxSeats: 2, area: "in" }),
      buildTable("garden", { maxSeats: 2, area: "out" }),
    ],
    schedule: {
      hours: [dailyHours("18:00", "22:00")],
      turnTimes: [
        { upTo: 2, min: 90 },
        { upTo: 6, min: 120 },
      ],
    },
    policy: hourly,
  });
  const tables = (busyIntervals: BusyInterval[], area: string | null = null, partySize = 2) =>
    listTestSlots(shop, { on: MONDAY, partySize, area, busyIntervals }).map(
      ({ segments, spotsLeft }) => `${segments[0]?.tableKey} ${spotsLeft}`,
    );

  test("tables are assigned smallest first, then by key", () => {
    expect(tables([])).toEqual(["garden 3", "garden 3", "garden 3"]);
    const one = bookSlot(shop, { on: MONDAY, partySize: 2 }, on("19:00"));
    expect(tables(one)).toEqual(["two 2", "two 2", "two 2"]);
    const both = [
      ...one,
      ...bookSlot(shop, { on: MONDAY, partySize: 2, busyIntervals: one }, on("19:00")),
    ];
    expect(tables(both)).toEqual(["four 1", "four 1", "four 1"]);
  });

  test("tables are taken for the turn time of the party, within opening hours", () => {
    expect(startTimes(shop, { on: MONDAY, partySize: 2 })).toBe("18:00 19:00 20:00");
    const busyIntervals = bookSlot(shop, { on: MONDAY, partySize: 4 }, on("18:00"));
    expect(startTimes(shop, { on: MONDAY, partySize: 4, busyIntervals })).toBe("20:00");
    expect(refusalAt(shop, { on: MONDAY, partySize: 4, busyIntervals }, on("19:00"))).toBe("TAKEN");
  });

  test("tables are limited to the requested area", () => {
    expect(tables([], "in")[0]).toBe("two 2");
  });

  test("tables are taken for the longer of two turn times for the same party size", () => {
    const turns = [
      { upTo: 4, min: 60 },
      { upTo: 4, min: 180 },
    ];
    for (const turnTimes of [turns, turns.toReversed()]) {
      const evening = { hours: [dailyHours("18:00", "22:00")], turnTimes };
      const bistro = createShop({
        table: [buildTable("four", { maxSeats: 6 })],
        schedule: evening,
        policy: hourly,
      });
      expect(startTimes(bistro, { on: MONDAY, partySize: 4 })).toBe("18:00 19:00");
      // The party is larger than the `upTo` of every turn time.
      expect(startTimes(bistro, { on: MONDAY, partySize: 6 })).toBe("18:00 19:00");
    }
  });
});
