import {
  addDays,
  isInstant,
  isLocalDate,
  parseInstant,
  startOfDay,
  timeAfterGap,
  YEARS,
} from "../local-time.ts";
import { quote } from "../text.ts";
import { AppError } from "../errors.ts";

const MINUTE_MS = 60_000;

/**
 * Returns the epoch milliseconds of a start such as `2026-12-01T10:00`, in the business's time zone
 * or with an offset.
 * @throws AppError invalid_date, also for a time that clocks skip
 */
export function parseStartTime(text: string, timezone: string): number {
  if (!isInstant(text))
    throw new AppError(
      "invalid_date",
      `The start must be a date and time ${YEARS} such as 2026-12-01T10:00, not ${quote(text)}.`,
    );
  const ms = parseInstant(text, timezone);
  if (ms % MINUTE_MS !== 0)
    throw new AppError("invalid_date", `The start must be a whole minute, not ${quote(text)}.`);
  if (timeAfterGap(text, timezone) !== undefined)
    throw new AppError(
      "invalid_date",
      `${quote(text)} does not exist in ${timezone}: clocks skip that time.`,
    );
  return ms;
}

/**
 * Returns the epoch milliseconds of a time range. A date stands for the whole day, so that the day
 * `to` is included.
 * @throws AppError invalid_date
 */
export function parseTimeRange(
  from: string,
  to: string,
  timezone: string,
): { startsAt: number; endsAt: number } {
  const startsAt = isLocalDate(from)
    ? startOfDay(from, timezone)
    : parseBound("from", from, timezone);
  const endsAt = isLocalDate(to)
    ? startOfDay(addDays(to, 1), timezone)
    : parseBound("to", to, timezone);
  if (startsAt < endsAt) return { startsAt, endsAt };
  const gap = explainGaps([from, to], timezone).map((sentence) => ` ${sentence}`);
  throw new AppError(
    "invalid_date",
    `'to' ${quote(to)} is not after 'from' ${quote(from)}.${gap.join("")}`,
  );
}

/** Returns a sentence for each local time that clocks skip, which says what time it means. */
export const explainGaps = (texts: readonly string[], timezone: string): string[] =>
  texts.flatMap((text) => {
    const meant = timeAfterGap(text, timezone);
    if (meant === undefined) return [];
    return [`Clocks in ${timezone} skip ${quote(text)}, so it means ${meant}.`];
  });

function parseBound(field: string, text: string, timezone: string): number {
  if (isInstant(text)) return parseInstant(text, timezone);
  throw new AppError(
    "invalid_date",
    `'${field}' must be a date ${YEARS} such as 2026-12-24, or with a time such as 2026-12-24T13:00, not ${quote(text)}.`,
  );
}
