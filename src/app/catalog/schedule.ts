import type {
  HoursRule,
  Catalog,
  Closure,
  OpeningException,
  ScheduleDoc,
  StaffDoc,
} from "../../domain/catalog/catalog.ts";
import { type Weekday, WEEK } from "../../domain/catalog/common.ts";
import { deepEqual } from "../../domain/equality.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import { readEdit } from "../../domain/catalog/validate.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { editCatalog, withObjects } from "./changes/edit-catalog.ts";
import { getObject } from "./objects.ts";
import type { ChangeResult } from "./changes/plan-change.ts";

/** Returns whether a rule is for the regular hours. A rule for a season has a first or last day. */
export const isRegular = ({ validFrom, validTo }: HoursRule): boolean =>
  validFrom === null && validTo === null;

/**
 * Returns the hours with new regular opening times on some weekdays. Days with the same opening
 * times share a rule, so that changing a day back restores the same rules.
 * @param opening the opening times of each of `days`; none for closed days
 */
export function withDayHours(
  hours: readonly HoursRule[],
  days: readonly Weekday[],
  opening: readonly Pick<HoursRule, "start" | "end">[],
): HoursRule[] {
  const rules = hours.map((rule) =>
    isRegular(rule) ? { ...rule, days: rule.days.filter((day) => !days.includes(day)) } : rule,
  );
  for (const { start, end } of opening) {
    const isSame = (rule: HoursRule) => isRegular(rule) && rule.start === start && rule.end === end;
    const index = rules.findIndex(isSame);
    const open = new Set([...days, ...(rules[index]?.days ?? [])]);
    const openDays = WEEK.filter((day) => open.has(day));
    const rule = { days: openDays, start, end, validFrom: null, validTo: null };
    if (index === -1) rules.push(rule);
    else rules[index] = rule;
  }
  return rules.filter((rule) => rule.days.length > 0);
}

type Hours = { start: string; end: string };

/** A closed day has no rule, so a rule for the whole day is used to validate the day's name. */
const WHOLE_DAY = { start: "00:00", end: "24:00" };

/**
 * Replaces the regular opening hours of some weekdays.
 * @param days such as `mon` or `mon-fri`
 * @param intervals none for a closed day
 */
export const updateHours = (
  rt: Runtime,
  slug: string,
  days: string[],
  intervals: readonly Hours[],
): ChangeResult => editSection(rt, slug, "hours", withHoursOf(days, intervals));

type ReadHours = (items: AuthoredFile["hours"] & object) => HoursRule[];

const withHoursOf =
  (days: string[], intervals: readonly Hours[]) =>
  (hours: readonly HoursRule[], read: ReadHours): HoursRule[] => {
    const isClosed = intervals.length === 0;
    const rules = (isClosed ? [WHOLE_DAY] : intervals).map((interval) => ({ days, ...interval }));
    const authored = read(rules as AuthoredFile["hours"] & object);
    return withDayHours(hours, (authored[0] as HoursRule).days, isClosed ? [] : authored);
  };

/** The new hours of some weekdays or of one date; for a date, null means the usual hours. */
export type HoursEdit =
  | { days: string[]; intervals: readonly Hours[] }
  | { date: string; intervals: readonly Hours[] | null };

/**
 * Replaces the hours of a staff member on some weekdays or one date. Weekdays that are not changed
 * keep the hours that apply now.
 * @param edit null if the person works in the hours of the business again
 */
export const updateStaffHours = (
  rt: Runtime,
  slug: string,
  keyOrId: string,
  edit: HoursEdit | null,
): ChangeResult =>
  editCatalog(rt, slug, (catalog) => {
    const doc = getObject(catalog, "staff", keyOrId);
    const edited = withObjects(catalog, "staff", (people) =>
      people.map((person) => (person === doc ? withStaffHours(catalog, doc, edit) : person)),
    );
    return { catalog: edited, target: { kind: "staff", doc } };
  });

function withStaffHours(catalog: Catalog, doc: StaffDoc, edit: HoursEdit | null): StaffDoc {
  if (edit === null) return { ...doc, hours: null };
  if ("days" in edit) {
    const read: ReadHours = (hours) => readEdit(catalog, { hours }, "hours").schedule.hours;
    const hours = doc.hours ?? catalog.schedule.hours;
    return { ...doc, hours: withHoursOf(edit.days, edit.intervals)(hours, read) };
  }
  const { date, intervals } = edit;
  const exceptions = doc.exceptions.filter((one) => one.date !== date);
  const added = intervals && { date, mode: "REPLACE" as const, intervals: [...intervals] };
  return { ...doc, exceptions: added ? [...exceptions, added] : exceptions };
}

/** @throws AppError conflict if there is a closure with the same days */
export const createClosure = (
  rt: Runtime,
  slug: string,
  item: NonNullable<AuthoredFile["closures"]>[number],
): ChangeResult =>
  editSection(rt, slug, "closures", (closures, read) => {
    const [closure] = read([item]) as [Closure];
    if (closures.some((one) => deepEqual({ ...one, name: null }, { ...closure, name: null })))
      throw new AppError("conflict", "There is already a closure on these days.", {
        fix: "deskbell closures list",
      });
    return [...closures, closure];
  });

/** Returns the first date of a closure, or the month and day of a yearly closure. */
const firstDayOf = (closure: Closure): string =>
  "yearly" in closure ? closure.yearly : closure.from;

/**
 * Deletes the closure that begins on a date.
 * @param firstDay a date, or a month and day such as `01-01` for a yearly closure
 */
export const deleteClosure = (rt: Runtime, slug: string, firstDay: string): ChangeResult =>
  editSection(rt, slug, "closures", (closures) => {
    const found = closures.filter((one) => firstDayOf(one) === firstDay);
    const closure = assertFound(
      found[0],
      `There is no closure that begins on ${quote(firstDay)}.`,
      "deskbell closures list",
    );
    if (found.length > 1)
      throw new AppError("conflict", `Several closures begin on ${quote(firstDay)}.`, {
        fix: "delete one of them in the catalog file, then run deskbell catalog apply FILE",
      });
    return closures.filter((one) => one !== closure);
  });

/**
 * Replaces the opening hours of one date. The hours of all staff on that date are then limited to
 * the new hours. Other exceptions of the date are deleted.
 * @param intervals none for a closed day; null for the usual hours
 */
export const updateDateHours = (
  rt: Runtime,
  slug: string,
  date: string,
  intervals: readonly Hours[] | null,
): ChangeResult =>
  editSection(rt, slug, "exceptions", (exceptions, read) =>
    withDate(
      exceptions,
      date,
      intervals === null ? [] : read([{ date, mode: "only", intervals: [...intervals] }]),
    ),
  );

/** Replaces the exceptions of a date with those that it had before. */
export const restoreDateHours = (
  rt: Runtime,
  slug: string,
  date: string,
  before: readonly OpeningException[],
): ChangeResult =>
  editSection(rt, slug, "exceptions", (exceptions) => withDate(exceptions, date, before));

/**
 * Returns the exceptions with those of one date replaced. The order of the other dates stays,
 * because a catalog file that lists the dates in another order would count as a change.
 */
function withDate(
  exceptions: readonly OpeningException[],
  date: string,
  ofDate: readonly OpeningException[],
): OpeningException[] {
  const index = exceptions.findIndex((one) => one.date === date);
  const others = exceptions.filter((one) => one.date !== date);
  return others.toSpliced(index === -1 ? others.length : index, 0, ...ofDate);
}

/** Returns the keys of bookable staff whose own regular hours replace those of the business. */
export const listStaffWithOwnHours = (rt: Runtime, { id }: BusinessRow): string[] =>
  rt.store.catalog
    .listByKind(id, "staff")
    .filter((one) => one.hours !== null && one.bookable && one.status === "ACTIVE")
    .map(({ key }) => key);

type Section = "hours" | "closures" | "exceptions";

/**
 * @param edit gets the section, and a function that reads items as they are written in a catalog
 * file
 */
const editSection = <S extends Section>(
  rt: Runtime,
  slug: string,
  section: S,
  edit: (
    current: ScheduleDoc[S],
    read: (items: NonNullable<AuthoredFile[S]>) => ScheduleDoc[S],
  ) => ScheduleDoc[S],
): ChangeResult =>
  editCatalog(rt, slug, (catalog) => {
    const read = (items: NonNullable<AuthoredFile[S]>) =>
      readEdit(catalog, { [section]: items }, section).schedule[section];
    const edited = edit(catalog.schedule[section], read);
    return {
      catalog: { ...catalog, schedule: { ...catalog.schedule, [section]: edited } },
      target: { section },
    };
  });
