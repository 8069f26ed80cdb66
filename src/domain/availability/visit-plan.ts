import type { Catalog, StaffDoc } from "../catalog/catalog.ts";
import { AppError } from "../errors.ts";
import { DAY_MIN, type DayNumber, dayNumber } from "./calendar.ts";
import { localDays } from "./local-days.ts";
import { planSegments } from "./plan-segments.ts";
import { planTable } from "./plan-table.ts";
import type { RequestIssue, ResolvedRequest, AddIssue } from "./request.ts";
import type { Segment } from "./segment.ts";
import { type WorkingTime, createWorkingTimeReader } from "./working-time.ts";
import { dayAt } from "./wall-clock.ts";

/** A question made out against the catalog: what is to be done, by whom it may be done, and when they work. */
export type VisitPlan = {
  catalog: Catalog;
  timezone: string;
  firstDay: DayNumber;
  lastDay: DayNumber;
  /** What starts before this comes too soon, what starts after the horizon's day too far ahead. */
  earliestMin: number;
  horizonDay: DayNumber;
  intervalMin: number;
  segments: Segment[];
  /** Of a person, or of the business. */
  timeOf: (person?: StaffDoc) => WorkingTime;
};

const MINUTE_MS = 60_000;

/**
 * @param problems found with the question before
 * @throws AppError that tells everything which is wrong with the question
 */
export function planResolvedRequest(
  catalog: Catalog,
  question: ResolvedRequest,
  nowMs: number,
  problems: RequestIssue[] = [],
): VisitPlan {
  const report: AddIssue = (code, detail, parameter) =>
    void problems.push({ code, detail, parameter });
  const { segments, rules } =
    "services" in question
      ? planSegments(catalog, question, report)
      : { segments: [planTable(catalog, question, report)], rules: catalog.business.bookingPolicy };
  // What is not there goes before what does not go together.
  const first = problems.find(({ code }) => code === "resource_not_found") ?? problems[0];
  if (first !== undefined) throw new AppError(first.code, first.detail, { issues: problems });

  const { timezone } = catalog.business;
  const plan = {
    catalog,
    timezone,
    earliestMin: Math.ceil(nowMs / MINUTE_MS) + rules.minNoticeMin,
    horizonDay: dayAt(timezone, Math.floor(nowMs / MINUTE_MS)) + rules.maxAdvanceDays,
    intervalMin: rules.slotIntervalMin,
    segments,
  };
  return withDays(plan, dayNumber(question.from), dayNumber(question.to));
}

/** The same question about other days. */
export function withDays(
  plan: Omit<VisitPlan, "firstDay" | "lastDay" | "timeOf">,
  firstDay: DayNumber,
  lastDay: DayNumber,
): VisitPlan {
  const { timezone, segments } = plan;
  const { schedule, business } = plan.catalog;
  let timeOf: VisitPlan["timeOf"] | undefined;
  const readTimes = () => {
    // A shift of two days ago may end at 48:00; the last visit goes on for as long as all of it takes.
    const after = 2 + Math.ceil(maxVisitMin(segments, business.bookingPolicy.maxGapMin) / DAY_MIN);
    return createWorkingTimeReader(schedule, localDays(timezone, firstDay - 2, lastDay + after));
  };
  return { ...plan, firstDay, lastDay, timeOf: (person) => (timeOf ??= readTimes())(person) };
}

/** All segments at their longest, with the longest gaps between them. */
export const maxVisitMin = (segments: Segment[], maxGapMin: number): number =>
  segments.reduce(
    (sum, { candidates }) =>
      sum + maxGapMin + Math.max(0, ...candidates.map(({ durationMin }) => durationMin)),
    0,
  );
