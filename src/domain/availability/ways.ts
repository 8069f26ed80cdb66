import { type Busy, keptFrom } from "./busy.ts";
import { type Grid, isAskedOf } from "./grid.ts";
import {
  heldMinutes,
  type Interval,
  merge,
  startsThatMeet,
  startsWithin,
  subtract,
} from "./intervals.ts";
import { type Limit, limitsOf } from "./limits.ts";
import type { Plan } from "./plan.ts";
import type { BusyRow } from "./question.ts";
import type { Option, Segment } from "./segment.ts";
import { sessionsToJoin } from "./sessions.ts";

/** One way to do a segment of a visit, with every minute at which it can start. */
export type Way = {
  option: Option;
  starts: Interval[];
  /** Started classes that it can join, by when they start. */
  sessions: ReadonlyMap<number, BusyRow>;
};

export type SegmentWays = { segment: Segment; ways: Way[]; limits: Limit[] };

/** The ways to do each segment around what is booked. A visit begins on the grid, or with a started class. */
export const waysOf = (plan: Plan, busy: Busy, grid: Grid): SegmentWays[] =>
  plan.segments.map((segment, i) => {
    const limits = limitsOf(plan, busy, segment);
    const shortages = limits.flatMap((limit) => limit.shortages);
    const ways = segment.options.map((option) => {
      const sessions = sessionsToJoin(plan, busy, segment, option);
      const free = freeStarts(plan, busy, segment, option, shortages);
      const joined = [...sessions.keys()];
      const starts =
        i > 0
          ? [...free, ...joined.map(oneMinute)]
          : [
              ...heldMinutes(grid(option), free),
              ...joined.filter((minute) => isAskedOf(plan, minute)),
            ].map(oneMinute);
      return { option, sessions, starts: merge(starts) };
    });
    return { segment, ways, limits };
  });

const oneMinute = (minute: number): Interval => ({ start: minute, end: minute + 1 });

function freeStarts(
  plan: Plan,
  busy: Busy,
  segment: Segment,
  option: Option,
  shortages: Interval[],
): Interval[] {
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
