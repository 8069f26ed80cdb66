import type { Catalog, StaffDoc } from "../catalog/catalog.ts";
import { AppError } from "../errors.ts";
import {
  DAY_MIN,
  type DayNumber,
  dayNumber,
  daysInterval,
  localDays,
  dayAt,
} from "./wall-clock.ts";
import { planSegments, planTable, type Segment } from "./segments.ts";
import { addIssueTo, type RequestIssue, type ResolvedRequest } from "./request.ts";
import { type WorkingTime, createWorkingTimeReader } from "./working-time.ts";

export type VisitPlan = {
  catalog: Catalog;
  timezone: string;
  firstDay: DayNumber;
  lastDay: DayNumber;
  /** An earlier start is TOO_SOON; a start on a day after `horizonDay` is TOO_FAR. */
  earliestMin: number;
  horizonDay: DayNumber;
  /** The step of the grid of starts. */
  intervalMin: number;
  /** The only start to consider, on the grid or not. */
  onlyStartMin?: number;
  segments: Segment[];
  /** Returns the working time of `person` or, without one, of the business. */
  workingTimeOf: (person?: StaffDoc | null) => WorkingTime;
};

const MINUTE_MS = 60_000;

/**
 * Returns the plan of a visit.
 * @param issues the issues that were found while names were resolved
 * @throws AppError with every issue of the request
 */
export function planResolvedRequest(
  catalog: Catalog,
  request: ResolvedRequest,
  nowMs: number,
  issues: RequestIssue[] = [],
): VisitPlan {
  const addIssue = addIssueTo(issues);
  const { segments, rules } =
    "services" in request
      ? planSegments(catalog, request, addIssue)
      : {
          segments: [planTable(catalog, request, addIssue)],
          rules: catalog.business.bookingPolicy,
        };
  // A missing object is reported first, because other issues may follow from it.
  const mainIssue = issues.find(({ code }) => code === "resource_not_found") ?? issues[0];
  if (mainIssue !== undefined) throw new AppError(mainIssue.code, mainIssue.detail, { issues });

  const { timezone } = catalog.business;
  const plan = {
    catalog,
    timezone,
    earliestMin: Math.ceil(nowMs / MINUTE_MS) + rules.minNoticeMin,
    horizonDay: dayAt(timezone, Math.floor(nowMs / MINUTE_MS)) + rules.maxAdvanceDays,
    intervalMin: rules.slotIntervalMin,
    segments,
  };
  return withDays(plan, dayNumber(request.from), dayNumber(request.to));
}

/**
 * Returns the plan for a single start that need not keep the minimum notice, the horizon and the
 * grid.
 * @param earliestMs a start before this time (epoch milliseconds) is still TOO_SOON
 */
export const ignoringNotice = (
  plan: VisitPlan,
  startMin: number,
  earliestMs: number,
): VisitPlan => ({
  ...plan,
  earliestMin: Math.floor(earliestMs / MINUTE_MS),
  horizonDay: Infinity,
  onlyStartMin: startMin,
});

/** Returns a plan for these days. The working time is computed when it is first needed. */
export function withDays(
  plan: Omit<VisitPlan, "firstDay" | "lastDay" | "workingTimeOf">,
  firstDay: DayNumber,
  lastDay: DayNumber,
): VisitPlan {
  const { timezone, segments } = plan;
  const { schedule, business } = plan.catalog;
  let workingTimeOf: VisitPlan["workingTimeOf"] | undefined;
  const createReader = () => {
    const longestMin = maxVisitMin(segments, business.bookingPolicy.maxGapMin);
    const starts = daysInterval(timezone, firstDay, lastDay);
    // A shift can end at 48:00 of the day before, and the last visit can end days later. One more day
    // before and two more days after are enough for any clock change.
    const daysAfter = 2 + Math.ceil(longestMin / DAY_MIN);
    const days = localDays(timezone, firstDay - 2, lastDay + daysAfter);
    return createWorkingTimeReader(schedule, days, {
      start: starts.start,
      end: starts.end + longestMin,
    });
  };
  return {
    ...plan,
    firstDay,
    lastDay,
    workingTimeOf: (person) => (workingTimeOf ??= createReader())(person),
  };
}

/**
 * Returns an upper limit of the duration of a visit: the sum of the longest duration of each
 * segment and of the longest allowed gap after each segment.
 */
export const maxVisitMin = (segments: Segment[], maxGapMin: number): number =>
  segments.reduce(
    (sum, { candidates }) =>
      sum + maxGapMin + Math.max(0, ...candidates.map(({ durationMin }) => durationMin)),
    0,
  );
