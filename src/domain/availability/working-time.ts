import type {
  Closure,
  HoursRule,
  OpeningException,
  ScheduleDoc,
  StaffDoc,
  Catalog,
} from "../catalog/catalog.ts";
import type { WeeklyWindow } from "../catalog/common.ts";
import { memoized } from "../lazy.ts";
import { minutesOf } from "../local-time.ts";
import {
  type LocalDay,
  DAY_MIN,
  closureInterval,
  daysInterval,
  openingInterval,
  dayNumber,
  localDays,
  dayAt,
} from "./wall-clock.ts";
import { type Interval, merge, intersect, subtract, covers } from "./intervals.ts";
import { objectId } from "../catalog/object-id.ts";
import type { CatalogDiff } from "../catalog/change/diff.ts";

/** The working time of a staff member or of the business. Visits must lie within `work`. */
export type WorkingTime = {
  work: Interval[];
  /**
   * The shifts of each date, not merged with those of the next, so that a grid can count from the
   * start of each shift.
   */
  unmergedShifts: Interval[];
  shifts: Interval[];
  closures: Interval[];
  breaks: Interval[];
  timeOff: Interval[];
};

/**
 * Returns a memoized function that returns the working time of a person or, if it is given no
 * person, of the business.
 * @param days the dates whose shifts, closures and breaks count
 * @param within the time of interest: `work` has only the intervals that overlap this time
 */
export function createWorkingTimeReader(
  schedule: ScheduleDoc,
  days: readonly LocalDay[],
  within: Interval = { start: -Infinity, end: Infinity },
): (person?: StaffDoc | null) => WorkingTime {
  const businessShiftsOn = shiftsWithExceptions(weeklyShifts(schedule.hours), schedule.exceptions);
  const closures = closureIntervals(schedule.closures, days);
  const limitToOpening = cutToOpening(schedule.exceptions);

  const timeOf = memoized((person: StaffDoc | null): WorkingTime => {
    const shiftsOn =
      person === null ? businessShiftsOn : limitToOpening(shiftsOf(person, businessShiftsOn));
    const unmergedShifts = days.flatMap(shiftsOn);
    const shifts = merge(unmergedShifts);
    const breaks = person === null ? [] : breakIntervals(person.breaks, days);
    const timeOff = person === null ? [] : timeOffIntervals(person.timeOff);
    const work = subtract(shifts, merge([...closures, ...breaks, ...timeOff])).filter(
      ({ start, end }) => start < within.end && within.start < end,
    );
    return { work, unmergedShifts, shifts, closures, breaks, timeOff };
  });
  return (person = null) => timeOf(person);
}

/**
 * Returns the shifts of a person. If the person has hours of their own, these replace the hours and
 * exceptions of the business.
 */
const shiftsOf = (person: StaffDoc, ofBusiness: Shifts): Shifts =>
  shiftsWithExceptions(
    person.hours === null ? ofBusiness : weeklyShifts(person.hours),
    person.exceptions,
  );

/**
 * Returns a function that limits the shifts of staff on each date with an exception of the mode
 * ONLY: they keep only the hours of that exception.
 */
function cutToOpening(exceptions: readonly OpeningException[]): (shifts: Shifts) => Shifts {
  const only = exceptions.filter(({ mode }) => mode === "ONLY");
  if (only.length === 0) return (shifts) => shifts;
  const byDate = Map.groupBy(only, ({ date }) => date);
  return (shifts) => (day) => {
    const opening = byDate.get(day.date);
    if (opening === undefined) return shifts(day);
    const windows = opening.flatMap(({ intervals }) => intervals);
    return intersect(shifts(day), merge(windows.map((window) => openWindow(window, day))));
  };
}

/** Returns the shifts that start on the date. */
export type Shifts = (day: LocalDay) => Interval[];

const weeklyShifts =
  (rules: readonly HoursRule[]): Shifts =>
  (day) =>
    merge(
      rules
        .filter(
          ({ days, validFrom, validTo }) =>
            days.includes(day.weekday) &&
            (validFrom === null || validFrom <= day.date) &&
            (validTo === null || day.date <= validTo),
        )
        .map((rule) => openWindow(rule, day)),
    );

/**
 * Returns the usual shifts with the exceptions of each date, which apply in this order: REPLACE and
 * ONLY, ADD, REMOVE.
 */
function shiftsWithExceptions(usual: Shifts, exceptions: readonly OpeningException[]): Shifts {
  const byDate = Map.groupBy(exceptions, ({ date }) => date);
  return (day) => {
    const exceptionsOfDay = byDate.get(day.date);
    if (exceptionsOfDay === undefined) return usual(day);
    const intervalsOf = (mode: OpeningException["mode"]) =>
      exceptionsOfDay
        .filter((exception) => exception.mode === mode)
        .flatMap(({ intervals }) => intervals);
    const replacing = [...intervalsOf("REPLACE"), ...intervalsOf("ONLY")];
    const isReplaced = exceptionsOfDay.some(({ mode }) => mode === "REPLACE" || mode === "ONLY");
    const base = isReplaced ? replacing.map((interval) => openWindow(interval, day)) : usual(day);
    const added = intervalsOf("ADD").map((interval) => openWindow(interval, day));
    return subtract(
      merge([...base, ...added]),
      merge(intervalsOf("REMOVE").map((interval) => closedWindow(interval, day))),
    );
  };
}

type WallWindow = OpeningException["intervals"][number];

const openWindow = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  openingInterval(timezone, day * DAY_MIN + minutesOf(start), day * DAY_MIN + minutesOf(end));

const closedWindow = ({ start, end }: WallWindow, { day, timezone }: LocalDay): Interval =>
  closureInterval(timezone, day * DAY_MIN + minutesOf(start), day * DAY_MIN + minutesOf(end));

const WHOLE_DAY = { start: "00:00", end: "24:00" };

/**
 * Returns the intervals in which the business is closed on the given days, which must be
 * consecutive.
 */
export function closureIntervals(
  closures: readonly Closure[],
  days: readonly LocalDay[],
): Interval[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  return merge(
    closures.flatMap((closure) => {
      if ("yearly" in closure)
        return days
          .filter(({ date }) => date.slice(5) === closure.yearly)
          .map((day) => closedWindow(WHOLE_DAY, day));
      const from = Math.max(dayNumber(closure.from), first.day);
      const to = Math.min(dayNumber(closure.to), last.day);
      return from > to ? [] : [daysInterval(first.timezone, from, to)];
    }),
  );
}

const breakIntervals = (breaks: readonly WeeklyWindow[], days: readonly LocalDay[]): Interval[] =>
  merge(
    days.flatMap((day) =>
      breaks
        .filter((window) => window.days.includes(day.weekday))
        .map((window) => closedWindow(window, day)),
    ),
  );

const MINUTE_MS = 60_000;

const timeOffIntervals = (timeOff: StaffDoc["timeOff"]): Interval[] =>
  merge(
    timeOff.map(({ from, to }) => ({
      start: Math.floor(from / MINUTE_MS),
      end: Math.ceil(to / MINUTE_MS),
    })),
  );

/** A booked segment or a reservation. `staffId` is null if only the business must be open. */
export type BookedInterval = Interval & { id: string; staffId: string | null };

const HOURS_FIELDS = new Set(["timezone", "hours", "closures", "exceptions", "breaks", "timeOff"]);

/** Returns whether a change of the catalog can move working hours of the business or its staff. */
export const changesHours = ({ businessFields, changes }: CatalogDiff): boolean =>
  businessFields.some((field) => HOURS_FIELDS.has(field)) ||
  changes.some(
    ({ kind, action, fields }) =>
      kind === "staff" && (action === "delete" || fields.some((field) => HOURS_FIELDS.has(field))),
  );

/**
 * Returns the bookings that are within working hours before the change but not after it. The hours
 * of the staff member and the hours of the business are checked separately, because staff may work
 * outside the hours of the business.
 */
export function findOutsideHours(
  before: Catalog,
  after: Catalog,
  bookings: readonly BookedInterval[],
): BookedInterval[] {
  const [fitBefore, fitsAfter] = [
    createHoursCheck(before, bookings),
    createHoursCheck(after, bookings),
  ];
  const fallsOutside = (booking: BookedInterval) => fitBefore(booking) && !fitsAfter(booking);
  return bookings.filter(
    (booking) => fallsOutside(booking) || fallsOutside({ ...booking, staffId: null }),
  );
}

function createHoursCheck(
  { business: { slug, timezone }, schedule, objects }: Catalog,
  bookings: readonly BookedInterval[],
): (booking: BookedInterval) => boolean {
  const first = bookings.reduce(
    (day, { start }) => Math.min(day, dayAt(timezone, start)),
    Infinity,
  );
  const last = bookings.reduce((day, { end }) => Math.max(day, dayAt(timezone, end)), -Infinity);
  // The days begin two days before the first booking: a shift of the day before can end at 48:00,
  // and one more day is enough for a clock change.
  const workingTimeOf = createWorkingTimeReader(schedule, localDays(timezone, first - 2, last));
  const people = new Map(objects.staff.map((doc) => [objectId("staff", slug, doc), doc]));
  return (booking) => {
    if (booking.staffId === null) return covers(workingTimeOf().work, booking);
    const person = people.get(booking.staffId);
    return person !== undefined && covers(workingTimeOf(person).work, booking);
  };
}
