import { addDays, isLocalDate } from "../local-time.ts";
import type { LocalDate } from "../catalog/common.ts";
import { quote } from "../text.ts";
import type { ValidationIssue } from "../errors.ts";
import { dayNumber } from "./wall-clock.ts";

/** One `date`, or all days from `from` to `to`. */
export type DateRangeInput = {
  date?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type DateRange = { from: LocalDate; to: LocalDate };

const DEFAULT_DAYS = 7;
export const MAX_DAYS = 62;

/**
 * Defaults to a week from today.
 * @param today in the business's time zone; undefined if the business is unknown
 */
export function parseDateRange(
  input: DateRangeInput,
  today: LocalDate | undefined,
): { range?: DateRange; issues: ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const addIssue = (parameter: keyof DateRangeInput, code: string, detail: string) =>
    void issues.push({ parameter, code, detail: `'${parameter}' ${detail}` });

  for (const name of ["date", "from", "to"] as const) {
    const text = input[name];
    if (text !== undefined && !isLocalDate(text))
      addIssue(
        name,
        "invalid_date",
        `must be a date that exists, such as 2026-12-31, not ${quote(text)}.`,
      );
  }
  if (input.date !== undefined && (input.from ?? input.to) !== undefined)
    addIssue("date", "invalid_value", "cannot be combined with 'from' or 'to'.");
  const from = input.date ?? input.from ?? today;
  if (issues.length > 0 || from === undefined) return { issues };

  const to = input.date ?? input.to ?? addDays(from, DEFAULT_DAYS - 1);
  if (to < from) addIssue("to", "before_from", `must not be before 'from', which is ${from}.`);
  if (dayNumber(to) - dayNumber(from) >= MAX_DAYS)
    addIssue("to", "range_too_large", `must be at most ${MAX_DAYS - 1} days after 'from'.`);
  return { range: { from, to }, issues: issues };
}
