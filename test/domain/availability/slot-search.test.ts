import { assert, integer, pre, property } from "../../support/property.ts";
import { expect, test } from "vitest";
import { bookingsNear, busyMargins } from "../../../src/domain/availability/busy-intervals.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/slot.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { withDays, planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { chooseScale } from "../../support/scale.ts";
import { buildService, buildStaffMember } from "../../support/catalog-builders.ts";
import type { Scenario } from "./oracle.ts";
import {
  busyInterval,
  createShop,
  dailyHours,
  minuteAt,
  resolvedRequest,
  serviceRequest,
} from "./requests.ts";
import { isValidRequest, scenariosWithExtraBooking } from "./scenarios.ts";

const RUNS = Number(process.env["DESKBELL_RUNS"] ?? chooseScale(60, 150));

/** Lists the days of a request as one listing and in chunks of some days. */
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

test("a booking whose buffer is larger than its service's is today takes time of the next chunk", () => {
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
