import { DAY_MIN } from "./calendar.ts";
import type { VisitPlan } from "./visit-plan.ts";
import type { Candidate } from "./segment.ts";
import { dayAt, instantsOf } from "./wall-clock.ts";

/** The minutes, in order, at which a visit may begin with the option, on the days asked of. */
export type Grid = (option: Candidate) => ReadonlySet<number>;

export function buildGrid(plan: VisitPlan): Grid {
  if (plan.catalog.business.bookingPolicy.grid === "CLOCK") {
    const minutes = clockGrid(plan);
    return () => minutes;
  }
  const grids = new Map(
    plan.segments[0]?.candidates.map((option) => [option, openingGrid(plan, option)]),
  );
  return (option) => grids.get(option) ?? new Set();
}

/** Counted from midnight: a time that clocks skip is no start, one that they repeat is two. */
function clockGrid({ timezone, firstDay, lastDay, intervalMin }: VisitPlan): Set<number> {
  const minutes: number[] = [];
  for (let day = firstDay; day <= lastDay; day += 1)
    for (let clock = 0; clock < DAY_MIN; clock += intervalMin)
      minutes.push(...instantsOf(timezone, day * DAY_MIN + clock));
  return new Set(minutes.sort((a, b) => a - b));
}

/** Counted in minutes that pass, from the beginning of each of the person's (or the business's) shifts. */
function openingGrid(plan: VisitPlan, { staff }: Candidate): Set<number> {
  const minutes: number[] = [];
  for (const { start, end } of plan.timeOf(staff ?? undefined).unmergedShifts)
    for (let minute = start; minute < end; minute += plan.intervalMin)
      if (isOnRequestedDay(plan, minute)) minutes.push(minute);
  return new Set(minutes.sort((a, b) => a - b));
}

export function isOnRequestedDay(
  { timezone, firstDay, lastDay }: VisitPlan,
  minute: number,
): boolean {
  const day = dayAt(timezone, minute);
  return firstDay <= day && day <= lastDay;
}
