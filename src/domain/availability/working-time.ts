import type { ScheduleDoc, StaffDoc } from "../catalog/catalog.ts";
import { breakTime, closureTime, timeOffTime } from "./closed-time.ts";
import type { LocalDay } from "./days.ts";
import { type Interval, merge, subtract } from "./intervals.ts";
import { amendedShifts, type Shifts, weeklyShifts } from "./shifts.ts";

/** When a person works, or a business is open. Appointments lie within `work`; the rest tells why another time is not in it. */
export type WorkingTime = {
  work: Interval[];
  /** Each date's shifts apart from the next date's, so that a grid that counts from the opening knows where one is. */
  openings: Interval[];
  shifts: Interval[];
  closures: Interval[];
  breaks: Interval[];
  timeOff: Interval[];
};

/** @returns of the business with undefined, else of the person; each is read once */
export function workingTimes(
  schedule: ScheduleDoc,
  days: readonly LocalDay[],
): (person?: StaffDoc) => WorkingTime {
  const businessShifts = amendedShifts(weeklyShifts(schedule.hours), schedule.exceptions);
  const closures = closureTime(schedule.closures, days);
  const read = new Map<StaffDoc | undefined, WorkingTime>();

  const readFor = (person: StaffDoc | undefined): WorkingTime => {
    const openings = days.flatMap(
      person === undefined ? businessShifts : shiftsOf(person, businessShifts),
    );
    const shifts = merge(openings);
    const breaks = person === undefined ? [] : breakTime(person.breaks, days);
    const timeOff = person === undefined ? [] : timeOffTime(person.timeOff);
    const work = subtract(shifts, merge([...closures, ...breaks, ...timeOff]));
    return { work, openings, shifts, closures, breaks, timeOff };
  };

  return (person) => {
    const time = read.get(person) ?? readFor(person);
    read.set(person, time);
    return time;
  };
}

/** A person's own hours replace the business's, and with them the business's exceptions. */
const shiftsOf = (person: StaffDoc, ofBusiness: Shifts): Shifts =>
  amendedShifts(person.hours === null ? ofBusiness : weeklyShifts(person.hours), person.exceptions);
