import type { Catalog, StaffDoc } from "../catalog.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import { DAY_MIN, type DayNumber, dayNumber } from "./calendar.ts";
import { localDays } from "./days.ts";
import { planSegments } from "./plan-segments.ts";
import { planTable } from "./plan-table.ts";
import type { Question, Report } from "./question.ts";
import type { Segment } from "./segment.ts";
import { type WorkingTime, workingTimes } from "./working-time.ts";
import { dayAt } from "./zone-rules.ts";

/** A question made out against the catalog: what is to be done, by whom it may be done, and when they work. */
export type Plan = {
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

/** @throws AppError that tells everything which is wrong with the question */
export function planQuestion(catalog: Catalog, question: Question, nowMs: number): Plan {
  const problems: { code: ErrorCode; detail: string }[] = [];
  const report: Report = (code, detail) => void problems.push({ code, detail });
  const { segments, rules } =
    "services" in question
      ? planSegments(catalog, question, report)
      : { segments: [planTable(catalog, question, report)], rules: catalog.business.bookingPolicy };
  const [first] = problems;
  if (first !== undefined) throw new AppError(first.code, first.detail, { items: problems });

  const { timezone } = catalog.business;
  const [firstDay, lastDay] = [dayNumber(question.from), dayNumber(question.to)];
  // A shift of two days ago may end at 48:00; the last visit goes on for as long as all of it takes.
  const days = localDays(
    timezone,
    firstDay - 2,
    lastDay + 2 + Math.ceil(longestVisit(segments, catalog.business.bookingPolicy.maxGapMin) / DAY_MIN),
  );
  return {
    catalog,
    timezone,
    firstDay,
    lastDay,
    earliestMin: Math.ceil(nowMs / MINUTE_MS) + rules.minNoticeMin,
    horizonDay: dayAt(timezone, Math.floor(nowMs / MINUTE_MS)) + rules.maxAdvanceDays,
    intervalMin: rules.slotIntervalMin,
    segments,
    timeOf: workingTimes(catalog.schedule, days),
  };
}

/** All segments at their longest, with the longest gaps between them. */
export const longestVisit = (segments: Segment[], maxGapMin: number): number =>
  segments.reduce(
    (sum, { options }) => sum + maxGapMin + Math.max(0, ...options.map(({ durationMin }) => durationMin)),
    0,
  );
