import { assert, pre, property } from "fast-check";
import { expect, test } from "vitest";
import { listSlots } from "../../../src/domain/availability/listing.ts";
import { type Openings, openingsOf } from "../../../src/domain/availability/openings.ts";
import { planQuestion } from "../../../src/domain/availability/plan.ts";
import type { Slot } from "../../../src/domain/availability/slot.ts";
import { type Oracle, oracleOf, type World } from "./oracle.ts";
import { isAnswerable, worlds } from "./worlds.ts";

const RUNS = Number(process.env["DESKBELL_RUNS"] ?? 500);
const LONG_MIN = 60;

const openings = ({ catalog, question, rows, nowMs }: World): Openings =>
  openingsOf(planQuestion(catalog, question, nowMs), rows);

const holdsInEachWorld = (check: (world: World) => void): void =>
  assert(
    property(worlds, (world) => {
      pre(isAnswerable(world));
      check(world);
    }),
    { numRuns: RUNS },
  );

test(
  "the engine agrees with the oracle on every minute, every person and every state",
  () => {
    holdsInEachWorld((world) => {
      const engine = openings(world);
      const oracle = oracleOf(world);
      const days = listSlots(engine);
      // By day, then by time: not the same in St John's, whose clocks once went back into the day before.
      const slots = days.flatMap((day) => day.slots).sort((a, b) => a.startMin - b.startMin);
      expect(slots.map(({ startMin }) => startMin)).toEqual(oracle.minutes.filter(oracle.isBookable));
      for (const slot of slots) checkSlot(slot, world, oracle);
    });
  },
  LONG_MIN * 60_000,
);

function checkSlot(slot: Slot, { catalog, question }: World, oracle: Oracle): void {
  const doers = slot.segments.map(({ staffKey, tableKey }) => staffKey ?? tableKey);
  let from = slot.startMin;
  let last: string | null = null;
  let changes = 0;
  for (const [i, segment] of slot.segments.entries()) {
    const doer = doers[i]!;
    const gap = segment.startMin - from;
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThanOrEqual(i === 0 ? 0 : catalog.business.bookingPolicy.maxGapMin);
    expect(segment.endMin - segment.startMin).toBe(oracle.durationOf(i, doer));
    expect(oracle.fits(i, doer, segment.startMin)).toBe(true);
    const able = oracle.doersAt(i, segment.startMin);
    expect(able).toContain(doer);
    expect(segment.staffKeys).toEqual("services" in question ? able.filter((key) => key !== null).sort() : []);
    from = segment.endMin;
    if (doer !== null && last !== null && doer !== last) changes += 1;
    last = doer ?? last;
  }
  expect(slot.endMin).toBe(from);
  expect(changes).toBe(oracle.fewestChanges(slot.startMin));
}
