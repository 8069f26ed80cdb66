import { isInstant, isStartTime, localDateOf, parseInstant } from "../../domain/local-time.ts";
import { AppError } from "../../domain/errors.ts";

/** An instant as a person types it, in the business's zone: `18:00` of today, `2026-12-01T18:00`, or with an offset. */
export function parseTime(text: string, timezone: string, now: number): number {
  const whole = isStartTime(text) ? `${localDateOf(now, timezone)}T${text}` : text;
  if (isInstant(whole)) return parseInstant(whole, timezone);
  throw new AppError("usage", `'${text}' is no time.`, {
    fix: "write it as 18:00 or 2026-12-01T18:00",
  });
}
