import type { ScheduleDoc, StaffDoc } from "../catalog/catalog.ts";
import { breakIntervals, closureIntervals, timeOffIntervals } from "./closed-time.ts";
import type { LocalDay } from "./local-days.ts";
import { type Interval, merge, subtract } from "./intervals.ts";
import { shiftsWithExceptions, type Shifts, weeklyShifts } from "./shifts.ts";

/** When a person works or the business is open. Visits must lie within `work`. */
export type WorkingTime = {
  work: Interval[];
  /** Not merged across dates, so that a grid can count from the start of each shift. */
  unmergedShifts: Interval[];
  shifts: Interval[];
  closures: Interval[];
  breaks: Interval[];
  timeOff: Interval[];
};

/** @returns a memoized function: the working time of a person, or of the business if omitted */
export function createWorkingTimeReader(
  schedule: ScheduleDoc,
  days: readonly LocalDay[],
): (person?: StaffDoc) => WorkingTime {
  const businessShifts = shiftsWithExceptions(weeklyShifts(schedule.hours), schedule.exceptions);
  const closures = closureIntervals(schedule.closures, days);
  const cache = new Map<StaffDoc | undefined, WorkingTime>();

  const compute = (person: StaffDoc | undefined): WorkingTime => {
    const unmergedShifts = days.flatMap(
      person === undefined ? businessShifts : shiftsOf(person, businessShifts),
    );
    const shifts = merge(unmergedShifts);
    const breaks = person === undefined ? [] : breakIntervals(person.breaks, days);
    const timeOff = person === undefined ? [] : timeOffIntervals(person.timeOff);
    const work = subtract(shifts, merge([...closures, ...breaks, ...timeOff]));
    return { work, unmergedShifts, shifts, closures, breaks, timeOff };
  };

  return (person) => {
    const time = cache.get(person) ?? compute(person);
    cache.set(person, time);
    return time;
  };
}

/** A person's own hours replace the business's hours and exceptions. */
const shiftsOf = (person: StaffDoc, ofBusiness: Shifts): Shifts =>
  shiftsWithExceptions(
    person.hours === null ? ofBusiness : weeklyShifts(person.hours),
    person.exceptions,
  );
