import { type BusyIndex, indexBusyIntervals } from "./busy-intervals.ts";
import { type Chain, buildChain } from "./chain.ts";
import { type Grid, buildGrid } from "./grid.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import { type SegmentStarts, findSegmentStarts } from "./segment-starts.ts";

export type SlotSearch = {
  plan: VisitPlan;
  busy: BusyIndex;
  grid: Grid;
  segments: SegmentStarts[];
  chain: Chain;
};

export function prepareSlotSearch(plan: VisitPlan, intervals: readonly BusyInterval[]): SlotSearch {
  const busy = indexBusyIntervals(plan.catalog, intervals);
  const grid = buildGrid(plan);
  const segments = findSegmentStarts(plan, busy, grid);
  return {
    plan,
    busy,
    grid,
    segments,
    chain: buildChain(segments, plan.catalog.business.bookingPolicy.maxGapMin),
  };
}
