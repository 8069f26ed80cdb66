import type { StaffDoc } from "../catalog/catalog.ts";
import { memoized } from "../public/public-context.ts";
import { DAY_MIN, dayAt, instantsOf } from "./wall-clock.ts";
import type { VisitPlan } from "./visit-plan.ts";

/** The possible starts on the requested days, in order: with a person, or null for the business. */
export type Grid = (staff: StaffDoc | null) => ReadonlySet<number>;

export function buildGrid(plan: VisitPlan): Grid {
  if (plan.onlyStartMin !== undefined) {
    const starts = new Set([plan.onlyStartMin]);
    return () => starts;
  }
  if (plan.catalog.business.bookingPolicy.grid === "CLOCK") {
    const minutes = clockGrid(plan);
    return () => minutes;
  }
  return memoized((staff: StaffDoc | null) => openingGrid(plan, staff));
}

/** Counted from midnight. A skipped time is left out; a repeated time counts twice. */
function clockGrid({ timezone, firstDay, lastDay, intervalMin }: VisitPlan): Set<number> {
  const minutes: number[] = [];
  for (let day = firstDay; day <= lastDay; day += 1)
    for (let clock = 0; clock < DAY_MIN; clock += intervalMin)
      minutes.push(...instantsOf(timezone, day * DAY_MIN + clock));
  return new Set(minutes.sort((a, b) => a - b));
}

/** Counted from the start of each shift of the person or the business, in elapsed minutes. */
function openingGrid(plan: VisitPlan, staff: StaffDoc | null): Set<number> {
  const minutes: number[] = [];
  for (const { start, end } of plan.workingTimeOf(staff).unmergedShifts)
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
