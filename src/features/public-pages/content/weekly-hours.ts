import { dateOf, dayAt, weekdayOf } from "../../../domain/availability/wall-clock.ts";
import { type LocalDate, WEEK, type Weekday } from "../../../domain/catalog/common.ts";
import { minutesOf } from "../../../domain/local-time.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Shop } from "./content.ts";

const MINUTE_MS = 60_000;
const WEEK_DAYS = 7;
/** The number of weeks after this one whose changes of the hours a page announces. */
const WEEKS_AHEAD = 8;

/** Regular hours of a weekday in minutes after midnight. */
type Hours = {
  start: number;
  end: number;
  /** The first date with these hours; null if the next date of the weekday has them. */
  from: LocalDate | null;
  /** The last date with these hours; null if they hold in all the weeks ahead. */
  until: LocalDate | null;
};

/**
 * Returns the regular hours of each weekday on its next date, followed by those that begin in the
 * weeks ahead.
 */
export function listWeeklyHours({ profile, now }: Shop): { day: Weekday; hours: Hours[] }[] {
  const today = dayAt(profile.timezone, Math.floor(now / MINUTE_MS));
  const firstDays = Array.from({ length: WEEK_DAYS }, (_, n) => today + n);
  return WEEK.map((weekday) => {
    const first = firstDays.find((day) => weekdayOf(day) === weekday) as number;
    const dates = Array.from({ length: WEEKS_AHEAD + 1 }, (_, n) => dateOf(first + n * WEEK_DAYS));
    const rules = profile.openingHours.regular.filter(({ days }) => days.includes(weekday));
    return { day: weekday, hours: listRuns(rules, dates) };
  });
}

type Rule = Shop["profile"]["openingHours"]["regular"][number];

const holdsOn = ({ validFrom, validTo }: Rule, date: LocalDate): boolean =>
  (validFrom === null || validFrom <= date) && (validTo === null || date <= validTo);

/**
 * Returns each run of dates with the same hours. Two rules with the same hours, one of which begins
 * when the other ends, make one run.
 */
function listRuns(rules: readonly Rule[], dates: readonly LocalDate[]): Hours[] {
  const rulesByHours = Map.groupBy(rules, ({ start, end }) => `${start} ${end}`);
  const runs = [...rulesByHours.values()].flatMap((same) => {
    const [{ start, end }] = same as [Rule];
    const holds = dates.map((date) => same.some((rule) => holdsOn(rule, date)));
    return dates.flatMap((from, first) => {
      if (holds[first] !== true || holds[first - 1] === true) return [];
      const after = holds.indexOf(false, first);
      const until = after === -1 ? null : (dates[after - 1] as LocalDate);
      const hours = { start: minutesOf(start), end: minutesOf(end) };
      return { ...hours, from: first === 0 ? null : from, until };
    });
  });
  const beginOf = ({ from }: Hours): string => from ?? "";
  return runs.toSorted((a, b) => beginOf(a).localeCompare(beginOf(b)) || a.start - b.start);
}

/**
 * Returns the lines of a weekday. Each line has hours, or says that the business is closed.
 * `validity` names the days on which the hours begin and end to hold; it is empty if neither is in
 * the weeks ahead.
 */
export function writeDayHours(
  { format, texts }: Pick<Shop, "format" | "texts">,
  hours: readonly Hours[],
): { hours: string; validity: string }[] {
  const lines = hours.map(({ start, end, from, until }) => ({
    hours: format.hours(start, end),
    validity: [
      ...(from === null ? [] : [fillText(texts.from, { date: format.plainDate(from) })]),
      ...(until === null ? [] : [fillText(texts.until, { date: format.plainDate(until) })]),
    ].join(" "),
  }));
  const isOpen = hours.some(({ from }) => from === null);
  return isOpen ? lines : [{ hours: texts.closed, validity: "" }, ...lines];
}

/** Returns whether the business states any opening hours. */
export const hasHours = (shop: Shop): boolean =>
  shop.specialDays.length > 0 || listWeeklyHours(shop).some(({ hours }) => hours.length > 0);
