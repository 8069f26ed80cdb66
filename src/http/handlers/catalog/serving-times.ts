import type { Day, WallTime, WeeklyWindow } from "../../../domain/catalog/catalog.ts";

const DAYS: Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_MIN = 1440;

const minutesOf = (time: WallTime): number =>
  Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/**
 * Whether an instant (epoch milliseconds) is within weekly windows of local time. A window may end
 * after midnight (`end` up to 48:00). Null windows include every instant.
 */
export function isServedAt(
  windows: readonly WeeklyWindow[] | null,
  instant: number,
  timezone: string,
): boolean {
  if (windows === null) return true;
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
  const minute = local.hour * 60 + local.minute;
  const today = DAYS[local.dayOfWeek - 1] as Day;
  const yesterday = DAYS[(local.dayOfWeek + 5) % 7] as Day;
  return windows.some(({ days, start, end }) => {
    const covers = (at: number) => minutesOf(start) <= at && at < minutesOf(end);
    return (
      (days.includes(today) && covers(minute)) ||
      (days.includes(yesterday) && covers(minute + DAY_MIN))
    );
  });
}
