import type { HoursEdit } from "../../app/catalog/schedule.ts";
import { hoursOn } from "../../domain/availability/open-hours.ts";
import { DAY_MIN } from "../../domain/availability/wall-clock.ts";
import type { Closure, ScheduleDoc, StaffDoc } from "../../domain/catalog/catalog.ts";
import type { LocalDate } from "../../domain/catalog/common.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import {
  addDays,
  formatLocalMinute,
  isLocalDate,
  localDateOf,
  startOfDay,
} from "../../domain/local-time.ts";
import { quote } from "../../domain/text.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Cli } from "../cli.ts";

// A change that is saved but has no effect looks like success, so the commands tell the user what
// overrides the change.

/**
 * Prints a note if a change ends in the past.
 * @param time the end of the change, as the message names it
 * @param end a date of the business, or epoch milliseconds
 */
export function notePast(
  cli: Cli,
  { slug, doc }: BusinessRow,
  now: number,
  { time, end }: { time: string; end: LocalDate | number | null | undefined },
  consequence = "nothing changes for future visits",
): void {
  if (end === null || end === undefined) return;
  const isPast = typeof end === "number" ? end <= now : end < localDateOf(now, doc.timezone);
  if (isPast) cli.note(`${slug}: ${time} is in the past: ${consequence}.`);
}

/** Returns the first and last date of a closure. Both are the next date of a yearly closure. */
function daysOf(closure: Closure, today: LocalDate): { from: LocalDate; to: LocalDate } {
  if (!("yearly" in closure)) return closure;
  const year = Number(today.slice(0, 4));
  // Every fourth year has a 29 February, except some that end with 00.
  const dates = Array.from({ length: 9 }, (_, n) => `${year + n}-${closure.yearly}`);
  const next = dates.find((date) => date >= today && isLocalDate(date)) ?? today;
  return { from: next, to: next };
}

/**
 * Notes that a new closure ends at midnight, if the business is open or somebody works later: the
 * night after its last day stays bookable, and the one before its first day is closed.
 * @param business the business before the change
 */
export function noteNights(cli: Cli, rt: Runtime, business: BusinessRow, closure: Closure): void {
  const { slug, doc, schedule } = business;
  const today = localDateOf(rt.now(), doc.timezone);
  const { from, to } = daysOf(closure, today);
  if (to < today) return;
  const staff = rt.store.catalog.listByKind(business.id, "staff");
  const people = [null, ...staff.filter(({ status }) => status === "ACTIVE")];
  const closed = { ...schedule, closures: [...schedule.closures, closure] };
  const isOpenAfterMidnight = (of: ScheduleDoc, date: LocalDate): boolean =>
    people.some((person) =>
      hoursOn(of, doc.timezone, date, person).some(({ end }) => end > DAY_MIN),
    );
  const eve = addDays(from, -1);
  if (isOpenAfterMidnight(schedule, eve))
    cli.note(`${slug}: the closure begins at midnight, so it also ends the hours of ${eve} then.`);
  if (isOpenAfterMidnight(closed, to))
    cli.note(
      `${slug}: the closure ends at midnight, so the hours of ${to} after midnight stay open. ` +
        `To close them, too: ${cli.program} hours update --date ${to} --closed --business ${slug}`,
    );
}

/** Notes the closures that win over new hours of a date. */
export function noteClosures(cli: Cli, { slug, schedule }: BusinessRow, edit: HoursEdit): void {
  if (!opensDate(edit)) return;
  for (const closure of schedule.closures.filter((one) => closesOn(one, edit.date)))
    cli.note(
      `${slug}: ${edit.date} stays closed, because ${nameOf(closure)} wins over these hours. ` +
        `To delete it: ${cli.program} closures delete ${firstDayOf(closure)} --business ${slug}`,
    );
}

/** Notes what wins over the new hours of a staff member on one date. */
export function noteStaffLimits(
  cli: Cli,
  rt: Runtime,
  business: BusinessRow,
  person: StaffDoc,
  edit: HoursEdit,
): void {
  if (!opensDate(edit)) return;
  noteClosures(cli, business, edit);
  const { slug, doc, schedule } = business;
  const { date, intervals } = edit;
  // Business hours with the mode ONLY limit the hours of the staff.
  const binding = schedule.exceptions.filter((one) => one.mode === "ONLY" && one.date === date);
  const openTimes = binding.flatMap((one) => one.intervals);
  const isWithin = ({ start, end }: WallInterval) =>
    openTimes.some((one) => one.start <= start && end <= one.end);
  if (binding.length > 0 && !(intervals ?? []).every(isWithin)) {
    const times = openTimes.map(({ start, end }) => `${start}-${end}`).join(", ");
    cli.note(
      `${slug}: on ${date} the business is ${times === "" ? "closed" : `open ${times} only`}, which binds ${person.key} too. ` +
        `To delete these hours of the business: ${cli.program} hours update --date ${date} --usual --business ${slug}`,
    );
  }
  const dayStart = startOfDay(date, doc.timezone);
  const dayEnd = startOfDay(addDays(date, 1), doc.timezone);
  const time = (ms: number) => formatLocalMinute(ms, doc.timezone).replace("T", " ");
  const noteTimeOff = (start: number, end: number, remedy: string) => {
    if (start < dayEnd && dayStart < end)
      cli.note(
        `${slug}: ${person.key} has time off from ${time(start)} to ${time(end)}, which wins over these hours. ${remedy}`,
      );
  };
  const staffId = objectId("staff", slug, person);
  for (const row of rt.store.timeOff.listEndingAfter(business.id, dayStart))
    if (row.staffId === staffId)
      noteTimeOff(
        row.startsAt,
        row.endsAt,
        `To delete it: ${cli.program} time-off delete ${row.id} --business ${slug}`,
      );
  for (const one of person.timeOff)
    noteTimeOff(
      one.from,
      one.to,
      `It is in the catalog file: delete it there, then run ${cli.program} catalog apply FILE`,
    );
}

type WallInterval = { start: string; end: string };
type DateEdit = Extract<HoursEdit, { date: string }>;

/** Returns whether an edit is for one date, and does not close it. */
const opensDate = (edit: HoursEdit): edit is DateEdit =>
  "date" in edit && edit.intervals?.length !== 0;

const firstDayOf = (closure: Closure): string =>
  "yearly" in closure ? closure.yearly : closure.from;

const closesOn = (closure: Closure, date: LocalDate): boolean =>
  "yearly" in closure
    ? date.slice(5) === closure.yearly
    : closure.from <= date && date <= closure.to;

function nameOf(closure: Closure): string {
  const days =
    "yearly" in closure
      ? `of every ${closure.yearly}`
      : closure.from === closure.to
        ? `of ${closure.from}`
        : `from ${closure.from} to ${closure.to}`;
  return `the closure ${closure.name === null ? "" : `${quote(closure.name)} `}${days}`;
}
