import { type Busy, indexBusy } from "./busy.ts";
import { type Chain, linkChain } from "./chain.ts";
import { type Grid, gridOf } from "./grid.ts";
import type { Plan } from "./plan.ts";
import type { BusyRow } from "./question.ts";
import { type SegmentWays, waysOf } from "./ways.ts";

/** A plan around what is booked already. */
export type Openings = {
  plan: Plan;
  busy: Busy;
  grid: Grid;
  segments: SegmentWays[];
  chain: Chain;
};

export function openingsOf(plan: Plan, rows: readonly BusyRow[]): Openings {
  const busy = indexBusy(plan.catalog, rows);
  const grid = gridOf(plan);
  const segments = waysOf(plan, busy, grid);
  return {
    plan,
    busy,
    grid,
    segments,
    chain: linkChain(segments, plan.catalog.business.bookingPolicy.maxGapMin),
  };
}
