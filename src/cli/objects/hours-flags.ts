import type { HoursEdit } from "../../app/catalog/schedule.ts";
import { usageError } from "../failure.ts";
import { type FlagValues, text, texts, toggle } from "../flags.ts";
import { type Clock, parseDay } from "../typed-times.ts";

/** The flags of commands that update hours. */
export const hoursFlags = {
  day: texts("day", "a weekday such as mon, or a range such as mon-fri (repeatable)"),
  date: text("date", "a single date instead, such as 2026-12-24 or tomorrow"),
  open: texts("interval", "open in this time, such as 09:00-18:00 (repeatable)"),
  closed: toggle("closed all day"),
  usual: toggle("with --date: as on other dates of this weekday"),
};

export const hasHoursFlags = ({
  day,
  date,
  open,
  closed,
  usual,
}: FlagValues<typeof hoursFlags>): boolean =>
  day.length > 0 || date !== undefined || open.length > 0 || closed || usual;

/**
 * Returns the edit of hours that the flags describe.
 * @throws AppError usage for flags that do not fit together
 */
export function parseHoursEdit(
  { day, date, open, closed, usual }: FlagValues<typeof hoursFlags>,
  clock: Clock,
): HoursEdit {
  // An edit changes weekdays or one date, but never both.
  const isWeekly = day.length > 0;
  const isOfDate = date !== undefined;
  if (isWeekly === isOfDate)
    throw usageError(
      isWeekly ? "--day cannot be combined with --date." : "Missing --day <day>.",
      "add --day mon or mon-fri for every week, or --date 2026-12-24 for one date",
    );
  const givenCount = [open.length > 0, closed, usual].filter(Boolean).length;
  if (givenCount !== 1 || (usual && date === undefined))
    throw usageError(
      `Give either --open or --closed${date === undefined ? "" : " or --usual"}.`,
      "add --open 09:00-18:00, or --closed",
    );
  // No interval means closed all day; null, instead of a list, restores the usual hours of a date.
  const intervals = open.map(parseInterval);
  if (date === undefined) return { days: day.map((name) => name.toLowerCase()), intervals };
  return { date: parseDay("--date", date, clock), intervals: usual ? null : intervals };
}

function parseInterval(interval: string): { start: string; end: string } {
  const [, start, end] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(interval) ?? [];
  if (start !== undefined && end !== undefined) return { start, end };
  throw usageError(`Invalid --open '${interval}'.`, "use two times such as 09:00-18:00");
}
