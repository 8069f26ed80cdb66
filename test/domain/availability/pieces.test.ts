import { assert, integer, pre, property } from "fast-check";
import { expect, test } from "vitest";
import { busyWindow, reachOf } from "../../../src/domain/availability/busy-window.ts";
import { type DayListing, listSlots } from "../../../src/domain/availability/listing.ts";
import { openingsOf } from "../../../src/domain/availability/openings.ts";
import { overDays, planQuestion } from "../../../src/domain/availability/plan.ts";
import { isAnswerable, worldsWithOneMore } from "./worlds.ts";

const RUNS = Number(process.env["DESKBELL_RUNS"] ?? 300);

test(
  "days that are listed in pieces, each with what is booked around it, are the days as a whole",
  () => {
    const inPieces = property(
      worldsWithOneMore,
      integer({ min: 1, max: 2 }),
      ({ world }, length) => {
        pre(isAnswerable(world));
        const { catalog, question, rows, nowMs } = world;
        const plan = planQuestion(catalog, question, nowMs);
        const reach = reachOf(plan);
        const listed: DayListing[] = [];
        for (let first = plan.firstDay; first <= plan.lastDay; first += length) {
          const piece = overDays(plan, first, Math.min(plan.lastDay, first + length - 1));
          const { start, end } = busyWindow(piece, reach);
          const near = rows.filter(({ startMin, endMin }) => startMin < end && endMin > start);
          listed.push(...listSlots(openingsOf(piece, near)));
        }
        expect(listed).toEqual(listSlots(openingsOf(plan, rows)));
      },
    );
    assert(inPieces, { numRuns: RUNS });
  },
  60_000 + 100 * RUNS,
);
