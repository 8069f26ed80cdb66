import { describe, expect, test } from "vitest";
import {
  buildResource,
  buildService,
  buildStaffMember,
  buildTable,
} from "../../support/catalog-builders.ts";
import {
  createShop,
  busyInterval,
  dailyHours,
  listDays,
  refusalAt,
  refusedStarts,
  serviceRequest,
} from "./requests.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const mornings = { hours: [dailyHours("09:00", "12:00")] };

describe("the reason a start is refused", () => {
  const shop = createShop({
    service: [
      buildService("cut", {
        durationMin: 30,
        bufferAfterMin: 10,
        staff: ["ann"],
        resources: [{ resource: "chair", units: 1 }],
      }),
    ],
    resource: [buildResource("chair")],
    staff: [
      buildStaffMember("ann", {
        breaks: [dailyHours("12:00", "13:00")],
        timeOff: [{ from: Date.parse("2026-11-23T20:00Z"), to: Date.parse("2026-11-23T21:00Z") }],
      }),
      buildStaffMember("bea"),
    ],
    schedule: {
      hours: [dailyHours("09:00", "17:00")],
      closures: [{ name: null, from: "2026-11-24", to: "2026-11-24" }],
    },
  });
  const busyIntervals = [
    busyInterval(shop, on("09:30"), on("10:00"), { staffKey: "ann" }),
    busyInterval(shop, on("11:00"), on("11:15"), {
      staffKey: "bea",
      resources: [{ resource: "chair", units: 1 }],
    }),
  ];
  test.each([
    [on("08:45"), "OUTSIDE_HOURS"],
    [on("16:45"), "OUTSIDE_HOURS"],
    ["2026-11-24T10:00", "CLOSURE"],
    ["2026-11-24T08:00", "CLOSURE"],
    [on("11:45"), "BREAK"],
    [on("15:30"), "TIME_OFF"],
    [on("10:50"), "OFF_GRID"],
    [on("09:15"), "TAKEN"],
    [on("09:00"), "BUFFER"],
    [on("10:45"), "RESOURCE_TAKEN"],
    [on("10:15"), "ok"],
  ])("the check of a start at %s results in %s", (local, reason) => {
    expect(
      refusalAt(
        shop,
        { on: MONDAY, to: "2026-11-24", services: [serviceRequest("cut")], busyIntervals },
        local,
      ),
    ).toBe(reason);
  });

  test("a start whose candidates break different rules is refused for the rule that is checked last", () => {
    const two = {
      ...shop,
      objects: {
        ...shop.objects,
        service: [buildService("cut", { durationMin: 30, staff: ["ann", "bea"] })],
      },
    };
    const request = {
      on: MONDAY,
      services: [serviceRequest("cut")],
      busyIntervals: [busyInterval(shop, on("12:00"), on("12:30"), { staffKey: "bea" })],
    };
    expect(refusalAt(two, request, on("12:00"))).toBe("TAKEN");
  });

  test("a start is refused with NOBODY_ABLE, and its day is CLOSED, if none of the service's staff exists", () => {
    const empty = createShop({
      service: [buildService("cut", { staff: ["ann"] })],
      schedule: mornings,
    });
    expect(refusalAt(empty, { on: MONDAY, services: [serviceRequest("cut")] }, on("09:00"))).toBe(
      "NOBODY_ABLE",
    );
    expect(listDays(empty, { on: MONDAY, services: [serviceRequest("cut")] })[0]?.state).toBe(
      "CLOSED",
    );
  });
});

describe("the starts that are not offered", () => {
  const everySixHours = { slotIntervalMin: 360 };
  const onGrid = ["00:00", "06:00", "12:00", "18:00"].map((time) => `${time} NOBODY_ABLE`);

  test("every start on the grid is refused if the party is too small for each table", () => {
    const table = [buildTable("four", { minSeats: 3, maxSeats: 4 })];
    const party = { on: MONDAY, partySize: 2 };
    const shop = createShop({ table, schedule: mornings, policy: everySixHours });
    expect(refusedStarts(shop, party)).toEqual(onGrid);
    const policy = { grid: "OPENING", slotIntervalMin: 60 } as const;
    const bistro = createShop({ table, schedule: mornings, policy });
    expect(refusedStarts(bistro, party)).toEqual([
      "09:00 NOBODY_ABLE",
      "10:00 NOBODY_ABLE",
      "11:00 NOBODY_ABLE",
    ]);
  });

  test("every start on the grid is refused if nobody can perform the first service", () => {
    const shop = createShop({
      service: [buildService("cut", { staff: ["ann"] }), buildService("sauna")],
      staff: [buildStaffMember("ann", { bookable: false })],
      schedule: mornings,
      policy: everySixHours,
    });
    const services = [serviceRequest("cut"), serviceRequest("sauna")];
    expect(refusedStarts(shop, { on: MONDAY, services })).toEqual(onGrid);
  });

  test("the refused starts are sorted by time, and include the start of a full session that is off the grid", () => {
    const shop = createShop({
      service: [buildService("yoga", { durationMin: 30, capacity: 2, staff: ["ann"] })],
      staff: [buildStaffMember("ann")],
      schedule: mornings,
      policy: everySixHours,
    });
    const session = { staffKey: "ann", serviceKey: "yoga", seats: 2 };
    const busyIntervals = [busyInterval(shop, on("09:10"), on("09:40"), session)];
    const request = { on: MONDAY, services: [serviceRequest("yoga")], busyIntervals };
    const starts = refusedStarts(shop, request);
    expect(starts).toContain("09:10 SEATS_TAKEN");
    expect(starts).toEqual(starts.toSorted());
  });
});
