import { dayNumber, weekdayOf } from "../../domain/availability/wall-clock.ts";
import type {
  PublicDay,
  PublicRefusedStart,
  PublicSlot,
} from "../../domain/availability/public-slot.ts";
import { wrap } from "./fields.ts";
import { refusalSentence } from "../../domain/availability/refusal.ts";

/** A slot, a rejected start time, or a day without either. */
export type AvailabilityRow = {
  date: string;
  state: string;
  start?: string;
  end?: string;
  spotsLeft?: number;
  who?: string;
  why?: string;
};

/** Returns `09:00` of a time in the business's time zone. */
const clockTime = (instant: string): string => instant.slice(11, 16);

export const slotRow = (slot: PublicSlot, nameOf: (id: string) => string): AvailabilityRow => ({
  date: slot.startsAt.slice(0, 10),
  state: "OPEN",
  start: clockTime(slot.startsAt),
  end: clockTime(slot.endsAt),
  spotsLeft: slot.spotsLeft,
  who: slot.segments
    .map((segment) => ("tableId" in segment ? segment.tableId : segment.staffId))
    .map((id) => (id === null ? "-" : nameOf(id)))
    .join(" "),
});

export function dayRows(
  { date, state, slots, refused = [] }: PublicDay,
  nameOf: (id: string) => string,
): AvailabilityRow[] {
  const rows = [
    ...slots.map((slot) => ({ at: slot.startsAt, row: slotRow(slot, nameOf) })),
    ...refused.map((refusal) => ({
      at: refusal.startsAt,
      row: {
        date,
        state: refusal.reason,
        start: clockTime(refusal.startsAt),
        why: sentence(refusal),
      },
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return rows.length === 0 ? [{ date, state }] : rows.map(({ row }) => row);
}

/** Formats a day for a terminal: available start times, then rejected ones with the reason. */
export function dayLines({ date, state, slots, refused = [] }: PublicDay, width: number): string[] {
  const weekday = weekdayOf(dayNumber(date));
  const head = `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)} ${date}  ${state.padEnd(8)}  `;
  const times = slots.map(({ startsAt }) => clockTime(startsAt));
  const wrapped = times.length === 0 ? [] : wrap("", "", times, " ", width - head.length);
  const lines = [...wrapped, ...runsOf(refused)];
  return (lines.length === 0 ? [""] : lines).map((line, i) =>
    `${i === 0 ? head : " ".repeat(head.length)}${line}`.trimEnd(),
  );
}

/** Merges consecutive start times that are rejected for the same reason into one line. */
function runsOf(refused: readonly PublicRefusedStart[]): string[] {
  const runs: { first: string; last: string; why: string }[] = [];
  for (const refusal of refused) {
    const [time, why] = [clockTime(refusal.startsAt), sentence(refusal)];
    const run = runs.at(-1);
    if (run?.why === why) run.last = time;
    else runs.push({ first: time, last: time, why });
  }
  return runs.map(
    ({ first, last, why }) => `${first === last ? first : `${first}-${last}`}: ${why}`,
  );
}

const sentence = ({ detail, segment }: PublicRefusedStart): string =>
  refusalSentence(detail, segment);
