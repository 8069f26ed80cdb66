import { isInstant, isStartTime, localDateOf, parseInstant } from "../../domain/local-time.ts";
import { AppError } from "../../domain/errors.ts";

/**
 * Parses a time as typed, local to the business: `18:00` (today), `2026-12-01T18:00`, or a time
 * with an offset.
 * @returns epoch milliseconds
 */
export function parseTime(flag: string, text: string, timezone: string, now: number): number {
  const withDate = isStartTime(text) ? `${localDateOf(now, timezone)}T${text}` : text;
  if (isInstant(withDate)) return parseInstant(withDate, timezone);
  throw new AppError("usage", `Invalid ${flag} '${text}'.`, {
    fix: "use a time such as 18:00 (today) or 2026-12-01T18:00",
  });
}
