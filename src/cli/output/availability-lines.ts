import { dayNumber, weekdayOf } from "../../domain/availability/wall-clock.ts";
import type {
  PublicDay,
  PublicRefusedStart,
  PublicSlot,
} from "../../domain/availability/public-slot.ts";
import { toLocalMinute } from "../../domain/local-time.ts";
import { joinIntoLines } from "./fields.ts";
import { refusalSentence } from "../../domain/availability/refusal.ts";

/** A row of the table: a slot, successive rejected start times, or a day without either. */
export type AvailabilityRow = {
  date: string;
  state: string;
  start?: string;
  end?: string;
  spotsLeft?: number;
  who?: string;
  why?: string;
};

/** Returns a time such as `09:00`, with an offset if clocks show it twice on that day. */
const clockTime = (instant: string, timezone: string): string =>
  toLocalMinute(instant, timezone).slice(11);

export const slotRow = (
  slot: PublicSlot,
  timezone: string,
  nameOf: (id: string) => string,
): AvailabilityRow => ({
  date: slot.startsAt.slice(0, 10),
  state: "OPEN",
  start: clockTime(slot.startsAt, timezone),
  end: clockTime(slot.endsAt, timezone),
  spotsLeft: slot.spotsLeft,
  who: slot.segments
    .map((segment) => ("tableId" in segment ? segment.tableId : segment.staffId))
    .map((id) => (id === null ? "-" : nameOf(id)))
    .join(" "),
});

export function dayRows(
  day: PublicDay,
  timezone: string,
  nameOf: (id: string) => string,
): AvailabilityRow[] {
  const { date, state, slots } = day;
  const rows = [
    ...slots.map((slot) => ({ at: slot.startsAt, row: slotRow(slot, timezone, nameOf) })),
    ...refusedRuns(day, timezone).map(({ at, reason, times, why }) => ({
      at,
      row: { date, state: reason, start: times, why },
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return rows.length === 0 ? [{ date, state }] : rows.map(({ row }) => row);
}

/** Formats a day for a terminal: available start times, then rejected ones with the reason. */
export function dayLines(day: PublicDay, timezone: string, width: number): string[] {
  const { date, state, slots } = day;
  const weekday = weekdayOf(dayNumber(date));
  const head = `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)} ${date}  ${state.padEnd(8)}  `;
  const times = slots.map(({ startsAt }) => clockTime(startsAt, timezone));
  const wrapped = times.length === 0 ? [] : joinIntoLines("", "", times, " ", width - head.length);
  const lines = [
    ...wrapped,
    ...refusedRuns(day, timezone).map(({ times, why }) => `${times}: ${why}`),
  ];
  return (lines.length === 0 ? [""] : lines).map((line, i) =>
    `${i === 0 ? head : " ".repeat(head.length)}${line}`.trimEnd(),
  );
}

/** Successive rejected start times; `at` is the first of them as an instant. */
type RefusedRun = { at: string; reason: PublicRefusedStart["reason"]; times: string; why: string };

/**
 * Merges successive start times that are rejected for one reason, unless an available one lies
 * between them.
 */
function refusedRuns({ slots, refused = [] }: PublicDay, timezone: string): RefusedRun[] {
  const available = slots.map(({ startsAt }) => Date.parse(startsAt));
  const runs: RefusedRun[] = [];
  for (const refusal of refused) {
    const { startsAt: at, reason } = refusal;
    const [time, why, run] = [clockTime(at, timezone), sentence(refusal), runs.at(-1)];
    const continuesRun =
      run?.reason === reason &&
      run.why === why &&
      !available.some((start) => start > Date.parse(run.at) && start < Date.parse(at));
    if (continuesRun) Object.assign(run, { times: `${clockTime(run.at, timezone)}-${time}` });
    else runs.push({ at, reason, times: time, why });
  }
  return runs;
}

const sentence = ({ detail, segment }: PublicRefusedStart): string =>
  refusalSentence(detail, segment);
