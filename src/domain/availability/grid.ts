import { DAY_MIN } from "./calendar.ts";
import type { Plan } from "./plan.ts";
import type { Option } from "./segment.ts";
import { dayAt, instantsOf } from "./zone-rules.ts";

/** The minutes, in order, at which a visit may begin with the option, on the days asked of. */
export type Grid = (option: Option) => readonly number[];

export function gridOf(plan: Plan): Grid {
  if (plan.catalog.business.bookingPolicy.grid === "OPENING") return (option) => openingGrid(plan, option);
  const minutes = clockGrid(plan);
  return () => minutes;
}

/** Counted from midnight: a time that clocks skip is no start, one that they repeat is two. */
function clockGrid({ timezone, firstDay, lastDay, intervalMin }: Plan): number[] {
  const minutes: number[] = [];
  for (let day = firstDay; day <= lastDay; day += 1)
    for (let clock = 0; clock < DAY_MIN; clock += intervalMin)
      minutes.push(...instantsOf(timezone, day * DAY_MIN + clock));
  return minutes.sort((a, b) => a - b);
}

/** Counted in minutes that pass, from the beginning of each of the person's (or the business's) shifts. */
function openingGrid(plan: Plan, { staff }: Option): number[] {
  const minutes = new Set<number>();
  for (const { start, end } of plan.timeOf(staff ?? undefined).openings)
    for (let minute = start; minute < end; minute += plan.intervalMin) if (isAskedOf(plan, minute)) minutes.add(minute);
  return [...minutes].sort((a, b) => a - b);
}

export function isAskedOf({ timezone, firstDay, lastDay }: Plan, minute: number): boolean {
  const day = dayAt(timezone, minute);
  return firstDay <= day && day <= lastDay;
}
