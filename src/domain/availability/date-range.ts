import { addDays, isLocalDate } from "../local-time.ts";
import type { LocalDate } from "../catalog/catalog.ts";
import { quote } from "../catalog/validation-issue.ts";
import type { ValidationIssue } from "../errors.ts";
import { dayNumber } from "./calendar.ts";

/** The days that somebody asks about: one, or from the first to the last. */
export type DateRangeInput = {
  date?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type DateRange = { from: LocalDate; to: LocalDate };

const USUAL_DAYS = 7;
export const MAX_DAYS = 62;

/** A week from today, unless it is said otherwise. `today` is on the business's calendar; undefined while nobody knows that. */
export function parseDateRange(
  asked: DateRangeInput,
  today: LocalDate | undefined,
): { range?: DateRange; issues: ValidationIssue[] } {
  const mistakes: ValidationIssue[] = [];
  const mistake = (parameter: keyof DateRangeInput, code: string, detail: string) =>
    void mistakes.push({ parameter, code, detail: `'${parameter}' ${detail}` });

  for (const name of ["date", "from", "to"] as const) {
    const text = asked[name];
    if (text !== undefined && !isLocalDate(text))
      mistake(
        name,
        "invalid_date",
        `must be a date that exists, such as 2026-12-31, not ${quote(text)}.`,
      );
  }
  if (asked.date !== undefined && (asked.from ?? asked.to) !== undefined)
    mistake("date", "invalid_value", "stands alone, without 'from' and 'to'.");
  const from = asked.date ?? asked.from ?? today;
  if (mistakes.length > 0 || from === undefined) return { issues: mistakes };

  const to = asked.date ?? asked.to ?? addDays(from, USUAL_DAYS - 1);
  if (to < from) mistake("to", "before_from", `must not be before 'from', which is ${from}.`);
  if (dayNumber(to) - dayNumber(from) >= MAX_DAYS)
    mistake("to", "range_too_large", `may be the ${MAX_DAYS}nd day at most, counted from 'from'.`);
  return { range: { from, to }, issues: mistakes };
}
