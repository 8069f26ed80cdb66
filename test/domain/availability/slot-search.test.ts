import { describe, expect, test } from "vitest";
import type { BusyInterval } from "../../../src/domain/availability/request.ts";
import { buildStaffMember, buildService } from "../../support/catalog-builders.ts";
import {
  createShop,
  minuteAt,
  busyInterval,
  dailyHours,
  listTestSlots,
  refusalAt,
  serviceRequest,
  resolvedRequest,
} from "./requests.ts";
import { assert, integer, pre, property } from "../../support/property.ts";
import { bookingsNear, busyMargins } from "../../../src/domain/availability/busy-intervals.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/slot.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { withDays, planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { chooseScale } from "../../support/scale.ts";
import type { Scenario } from "./oracle.ts";
import { isValidRequest, scenariosWithExtraBooking } from "./scenarios.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("a visit of several services", () => {
  const shop = createShop({
    service: [
      buildService("cut", { durationMin: 60, staff: ["ann", "bea"], bufferAfterMin: 30 }),
      buildService("color", { durationMin: 60, staff: ["bea", "cid"], bufferBeforeMin: 30 }),
      buildService("sauna", { durationMin: 30 }),
    ],
    staff: [buildStaffMember("ann"), buildStaffMember("bea"), buildStaffMember("cid")],
    schedule: { hours: [dailyHours("09:00", "13:00")] },
    policy: hourly,
  });
  const visit = { on: MONDAY, services: [serviceRequest("cut"), serviceRequest("color")] };
  const visits = (
    busyIntervals: BusyInterval[] = [],
    catalog = shop,
    request: typeof visit = visit,
  ) =>
    listTestSlots(catalog, { ...request, busyIntervals }).map(({ startMin, segments }) =>
      [
        (startMin - minuteAt(shop, on("00:00"))) / 60,
        ...segments.map(({ staffKey }) => staffKey ?? "-"),
      ].join(" "),
    );

  test("a visit of several services is done by one person if possible, without buffers in between", () => {
    expect(visits()).toEqual(["9 bea bea", "10 bea bea", "11 bea bea"]);
  });

  test("a visit of several services changes staff if no one can do it all", () => {
    expect(visits([busyInterval(shop, on("12:00"), on("13:00"), { staffKey: "bea" })])).toEqual([
      "9 bea bea",
      "10 bea bea",
      "11 ann cid",
    ]);
  });

  test("a visit of several services lists everyone who could take each segment", () => {
    const [first] = listTestSlots(shop, visit);
    expect(first?.segments.map(({ staffKeys }) => staffKeys)).toEqual([
      ["ann", "bea"],
      ["bea", "cid"],
    ]);
  });

  test("a visit of several services waits between two services for at most the allowed gap", () => {
    const busyIntervals = [
      busyInterval(shop, on("10:00"), on("10:20"), { staffKey: "bea" }),
      busyInterval(shop, on("10:00"), on("10:20"), { staffKey: "cid" }),
    ];
    const nine = {
      ...visit,
      services: [serviceRequest("cut", { staff: "ann" }), serviceRequest("color")],
    };
    const startsWithGap = (maxGapMin: number) => {
      const catalog = {
        ...shop,
        business: {
          ...shop.business,
          bookingPolicy: { ...shop.business.bookingPolicy, maxGapMin },
        },
      };
      return listTestSlots(catalog, { ...nine, busyIntervals }).map(({ segments }) =>
        segments.map((s) => s.startMin - minuteAt(shop, on("09:00"))),
      );
    };
    expect(startsWithGap(49)).toEqual([
      [60, 120],
      [120, 180],
    ]);
    // Bea and Cid are busy until 10:20, and the buffer is 30 minutes.
    expect(startsWithGap(50)).toEqual([
      [0, 110],
      [60, 120],
      [120, 180],
    ]);
  });

  test("a visit of several services is refused for the segment that cannot start", () => {
    const busyIntervals = ["bea", "cid"].map((staffKey) =>
      busyInterval(shop, on("10:00"), on("11:00"), { staffKey }),
    );
    expect(refusalAt(shop, { ...visit, busyIntervals }, on("09:00"))).toBe("TAKEN 1");
  });

  test("a visit of several services keeps its staff member across a service without staff", () => {
    const request = {
      on: MONDAY,
      services: [serviceRequest("cut"), serviceRequest("sauna"), serviceRequest("color")],
    };
    expect(visits([], shop, request)).toEqual(["9 bea - bea", "10 bea - bea"]);
  });

  test("a visit of several services is found if only a later start of a middle segment works", () => {
    const dye = createShop({
      service: ["one", "two", "three"].map((key, i) =>
        buildService(key, { durationMin: 30, staff: [["ann"], ["bea"], ["cid"]][i] ?? [] }),
      ),
      staff: [
        buildStaffMember("ann"),
        buildStaffMember("bea"),
        buildStaffMember("cid", { hours: [dailyHours("10:10", "12:00")] }),
      ],
      schedule: mornings,
      policy: { ...hourly, maxGapMin: 10 },
    });
    const [nine] = listTestSlots(dye, {
      on: MONDAY,
      services: [serviceRequest("one"), serviceRequest("two"), serviceRequest("three")],
    });
    expect(nine?.segments.map(({ startMin }) => startMin - minuteAt(dye, on("09:00")))).toEqual([
      0, 30, 70,
    ]);
  });
});

/** `npm run test:thorough` draws more businesses. */
const RUNS = Number(process.env["DESKBELL_RUNS"] ?? chooseScale(40, 150));

/** Returns the days of a request from one listing, and from listings of a few days each. */
function listBothWays({ catalog, request, busyIntervals, nowMs }: Scenario, chunkLength: number) {
  const plan = planResolvedRequest(catalog, request, nowMs);
  const margins = busyMargins(plan);
  const inChunks: DayListing[] = [];
  for (let first = plan.firstDay; first <= plan.lastDay; first += chunkLength) {
    const chunk = withDays(plan, first, Math.min(plan.lastDay, first + chunkLength - 1));
    const nearby = bookingsNear(chunk, margins, busyIntervals);
    inChunks.push(...listSlots(prepareSlotSearch(chunk, nearby)));
  }
  return { inChunks, together: listSlots(prepareSlotSearch(plan, busyIntervals)) };
}

test(
  "listing days in chunks gives the same result as listing them together",
  () => {
    const same = property(
      scenariosWithExtraBooking,
      integer({ min: 1, max: 2 }),
      ({ scenario }, chunkLength) => {
        pre(isValidRequest(scenario));
        const { inChunks, together } = listBothWays(scenario, chunkLength);
        expect(inChunks).toEqual(together);
      },
    );
    assert(same, { numRuns: RUNS });
  },
  60_000 + 100 * RUNS,
);

test("the long buffer of a booking blocks the next morning, even if its service now has a short one", () => {
  const catalog = createShop({
    service: [buildService("cut", { durationMin: 60, staff: ["ann"] })],
    staff: [buildStaffMember("ann")],
    schedule: { hours: [dailyHours("09:00", "17:00")] },
  });
  const [monday, tuesday] = ["2026-11-23", "2026-11-24"];
  const ending = { staffKey: "ann", serviceKey: "cut", bufferAfterMin: 15 * 60 };
  const scenario = {
    catalog,
    request: resolvedRequest({ on: monday, to: tuesday, services: [serviceRequest("cut")] }),
    busyIntervals: [busyInterval(catalog, `${monday}T20:00`, `${monday}T21:00`, ending)],
    nowMs: Date.parse("2026-11-22T00:00Z"),
  };
  const { inChunks, together } = listBothWays(scenario, 1);
  expect(inChunks).toEqual(together);
  expect(inChunks[1]?.slots[0]?.startMin).toBe(minuteAt(catalog, `${tuesday}T12:00`));
});
