import { assert, integer, pre, property } from "fast-check";
import { expect, test } from "vitest";
import { busyWindow, busyMargins } from "../../../src/domain/availability/busy-window.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/listing.ts";
import { prepareSlotSearch } from "../../../src/domain/availability/slot-search.ts";
import { withDays, planResolvedRequest } from "../../../src/domain/availability/visit-plan.ts";
import { isValidRequest, scenariosWithOneMore } from "./scenarios.ts";

const RUNS = Number(process.env["DESKBELL_RUNS"] ?? 300);

test(
  "days that are listed in pieces, each with what is booked around it, are the days as a whole",
  () => {
    const inPieces = property(
      scenariosWithOneMore,
      integer({ min: 1, max: 2 }),
      ({ world }, length) => {
        pre(isValidRequest(world));
        const { catalog, request: question, busyIntervals: rows, nowMs } = world;
        const plan = planResolvedRequest(catalog, question, nowMs);
        const reach = busyMargins(plan);
        const listed: DayListing[] = [];
        for (let first = plan.firstDay; first <= plan.lastDay; first += length) {
          const piece = withDays(plan, first, Math.min(plan.lastDay, first + length - 1));
          const { start, end } = busyWindow(piece, reach);
          const near = rows.filter(({ startMin, endMin }) => startMin < end && endMin > start);
          listed.push(...listSlots(prepareSlotSearch(piece, near)));
        }
        expect(listed).toEqual(listSlots(prepareSlotSearch(plan, rows)));
      },
    );
    assert(inPieces, { numRuns: RUNS });
  },
  60_000 + 100 * RUNS,
);
