import type { ScheduleDoc, StaffDoc } from "../catalog/catalog.ts";
import { breakIntervals, closureIntervals, timeOffIntervals } from "./closed-time.ts";
import type { LocalDay } from "./local-days.ts";
import { type Interval, merge, subtract } from "./intervals.ts";
import { shiftsWithExceptions, type Shifts, weeklyShifts } from "./shifts.ts";

/** When a person works, or a business is open. Appointments lie within `work`; the rest tells why another time is not in it. */
export type WorkingTime = {
  work: Interval[];
  /** Each date's shifts apart from the next date's, so that a grid that counts from the opening knows where one is. */
  unmergedShifts: Interval[];
  shifts: Interval[];
  closures: Interval[];
  breaks: Interval[];
  timeOff: Interval[];
};

/** @returns of the business with undefined, else of the person; each is read once */
export function createWorkingTimeReader(
  schedule: ScheduleDoc,
  days: readonly LocalDay[],
): (person?: StaffDoc) => WorkingTime {
  const businessShifts = shiftsWithExceptions(weeklyShifts(schedule.hours), schedule.exceptions);
  const closures = closureIntervals(schedule.closures, days);
  const read = new Map<StaffDoc | undefined, WorkingTime>();

  const readFor = (person: StaffDoc | undefined): WorkingTime => {
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
    const time = read.get(person) ?? readFor(person);
    read.set(person, time);
    return time;
  };
}

/** A person's own hours replace the business's, and with them the business's exceptions. */
const shiftsOf = (person: StaffDoc, ofBusiness: Shifts): Shifts =>
  shiftsWithExceptions(
    person.hours === null ? ofBusiness : weeklyShifts(person.hours),
    person.exceptions,
  );
