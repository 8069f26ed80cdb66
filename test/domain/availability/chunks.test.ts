import { assert, integer, pre, property } from "../../support/property.ts";
import { expect, test } from "vitest";
import { bookingsNear, busyMargins } from "../../../src/domain/availability/busy-intervals.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/slot.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { withDays, planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { chooseScale } from "../../support/scale.ts";
import { isValidRequest, scenariosWithExtraBooking } from "./scenarios.ts";

const RUNS = Number(process.env["DESKBELL_RUNS"] ?? chooseScale(60, 150));

test(
  "listing days in chunks gives the same result as listing them together",
  () => {
    const inChunks = property(
      scenariosWithExtraBooking,
      integer({ min: 1, max: 2 }),
      ({ scenario }, chunkLength) => {
        pre(isValidRequest(scenario));
        const { catalog, request, busyIntervals, nowMs } = scenario;
        const plan = planResolvedRequest(catalog, request, nowMs);
        const margins = busyMargins(plan);
        const listed: DayListing[] = [];
        for (let first = plan.firstDay; first <= plan.lastDay; first += chunkLength) {
          const chunk = withDays(plan, first, Math.min(plan.lastDay, first + chunkLength - 1));
          const nearby = bookingsNear(chunk, margins, busyIntervals);
          listed.push(...listSlots(prepareSlotSearch(chunk, nearby)));
        }
        expect(listed).toEqual(listSlots(prepareSlotSearch(plan, busyIntervals)));
      },
    );
    // A booking whose buffer is larger than the service's is today.
    const path =
      "472:5:5:5:10:10:10:11:14:14:14:14:14:14:14:14:14:14:7:11:11:11:14:14:17:17:17:17:17:17:17:21" +
      ":22:22:23:29:11:25:25:32:29:31:33:36:36:36:36:36:36:36:36:36:36:36:36:36";
    assert(inChunks, { seed: 989667500, path, numRuns: 1 });
    assert(inChunks, { numRuns: RUNS });
  },
  60_000 + 100 * RUNS,
);
