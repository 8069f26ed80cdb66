import { type Busy, keptFrom } from "./busy.ts";
import { type Grid, isAskedOf } from "./grid.ts";
import { holds, type Interval, merge, startsThatMeet, startsWithin, subtract } from "./intervals.ts";
import type { Plan } from "./plan.ts";
import type { Option, Segment } from "./segment.ts";
import type { BusyRow } from "./question.ts";
import { sessionsToJoin } from "./sessions.ts";
import { placesTaken, resourceShortages } from "./shortages.ts";
import { timeAbove, type Usage } from "./usage.ts";

/** One way to do a segment of a visit, with every minute at which it can start. */
export type Way = {
  option: Option;
  starts: Interval[];
  /** Started classes that it can join, by when they start. */
  sessions: ReadonlyMap<number, BusyRow>;
};

export type SegmentWays = { segment: Segment; ways: Way[]; placesTaken: Usage | undefined };

/** The ways to do each segment around what is booked. A visit begins on the grid, or with a started class. */
export const waysOf = (plan: Plan, busy: Busy, grid: Grid): SegmentWays[] =>
  plan.segments.map((segment, i) => {
    const taken = placesTaken(plan, busy, segment);
    const full = taken === undefined ? [] : timeAbove(taken, segment.places - segment.seats);
    const shortages = [...full, ...resourceShortages(plan, busy, segment)];
    const ways = segment.options.map((option) => {
      const sessions = sessionsToJoin(plan, busy, segment, option);
      const free = freeStarts(plan, busy, segment, option, shortages);
      const joined = [...sessions.keys()];
      const starts =
        i > 0
          ? [...free, ...joined.map(oneMinute)]
          : [...grid(option).filter(within(free)), ...joined.filter((minute) => isAskedOf(plan, minute))].map(
              oneMinute,
            );
      return { option, sessions, starts: merge(starts) };
    });
    return { segment, ways, placesTaken: taken };
  });

const oneMinute = (minute: number): Interval => ({ start: minute, end: minute + 1 });

const within = (intervals: Interval[]) => (minute: number) => holds(intervals, minute);

function freeStarts(plan: Plan, busy: Busy, segment: Segment, option: Option, shortages: Interval[]): Interval[] {
  const { bufferPolicy } = plan.catalog.business.bookingPolicy;
  const kept = rowsOf(busy, option).map((row) => keptFrom(row, segment, bufferPolicy));
  return subtract(
    startsWithin(plan.timeOf(option.staff ?? undefined).work, option.durationMin),
    startsThatMeet([...kept, ...shortages], option.durationMin),
  );
}

/** What the person or the table is taken by. */
export function rowsOf(busy: Busy, { staff, table }: Option): readonly BusyRow[] {
  if (staff !== null) return busy.ofStaff(staff.key);
  return table === null ? [] : busy.ofTable(table.key);
}
