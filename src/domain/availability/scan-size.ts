import { AppError } from "../errors.ts";
import type { VisitPlan } from "./visit-plan.ts";
import { DAY_MIN, dayAt } from "./wall-clock.ts";

type ScanOptions = {
  /** Whether each day is listed, or only the next slots are searched. */
  lists: "days" | "next";
  explain: boolean;
  /** The maximum number of days in which the next slots are searched. */
  maxSearchDays: number;
};

/**
 * The largest scan that is allowed: the number of starts, times the candidates of all segments.
 * Such a scan takes about a second of CPU time; ten staff, eight services and 31 days make 0.9
 * million. A limit on time would reject the same query only sometimes.
 */
const MAX_SIZE = 6_000_000;
/**
 * The cost of a searched day relative to a listed day. A search costs less, because it ends at the
 * first slots.
 */
const SEARCHED_DAY = 1 / 4;
/**
 * The cost of a listed day with `explain`, which checks, rule by rule, each start that is not
 * offered.
 */
const EXPLAINED_DAY = 2;

/** @throws AppError query_too_large, with the parameter to narrow */
export function assertNotTooLarge(plan: VisitPlan, options: ScanOptions): void {
  const size = scanSize(plan, options);
  if (size <= MAX_SIZE) return;
  const [parameter, advice] = howToNarrow(plan, options);
  const detail = `The query is too large: it would check ${Math.round(size / 1e5) / 10} million combinations of start, service and staff member or table; at most ${MAX_SIZE / 1e6} million are allowed. ${advice}`;
  throw new AppError("query_too_large", detail, {
    issues: [{ parameter, code: "query_too_large", detail }],
  });
}

function howToNarrow(plan: VisitPlan, options: ScanOptions): [parameter: string, advice: string] {
  const fits = (dayCount: number, explain: boolean) =>
    scanSize(
      { ...plan, lastDay: Math.min(plan.lastDay, plan.firstDay + dayCount - 1) },
      { ...options, explain },
    ) <= MAX_SIZE;
  const allDays = plan.lastDay - plan.firstDay + 1;
  if (options.explain && fits(allDays, false)) return ["explain", "Leave out 'explain'."];
  if (options.lists === "days" && fits(1, options.explain))
    return ["to", "Ask for fewer days with 'to'."];
  if (plan.segments.every(({ service }) => service === null))
    return ["areaId", "Ask for the tables of one area with 'areaId'."];
  return plan.segments.length > 1
    ? ["serviceIds", "Ask for fewer services with 'serviceIds', or name the staff with 'staffIds'."]
    : ["staffIds", "Name a staff member with 'staffIds'."];
}

/** Returns the estimated work of a scan, including the search after the listed days. */
function scanSize(plan: VisitPlan, { lists, explain, maxSearchDays }: ScanOptions): number {
  const { timezone, firstDay, lastDay, earliestMin, horizonDay, intervalMin } = plan;
  const earliestDay = dayAt(timezone, earliestMin);
  const countBookableDays = (first: number, last: number) =>
    Math.max(0, Math.min(last, horizonDay) - Math.max(first, earliestDay) + 1);
  const listed = lists === "days" ? countBookableDays(firstDay, lastDay) : 0;
  const searchFrom = lists === "days" ? lastDay + 1 : firstDay;
  const searched = Math.min(maxSearchDays, countBookableDays(searchFrom, horizonDay));
  const days = listed * (explain ? EXPLAINED_DAY : 1) + searched * SEARCHED_DAY;
  return days * Math.ceil(DAY_MIN / intervalMin) * optionCount(plan);
}

/**
 * Returns the number of candidates of all segments. A segment without staff is checked with each
 * staff member of the other segments, and so counts once for each of them.
 */
function optionCount({ segments }: VisitPlan): number {
  const people = new Set(
    segments.flatMap(({ candidates }) => candidates.flatMap(({ staff }) => staff?.key ?? [])),
  );
  return segments.reduce(
    (sum, { candidates }) =>
      sum +
      (people.size > 0 && candidates.some(({ staff }) => staff === null)
        ? people.size
        : candidates.length),
    0,
  );
}
