import type { Closure, HoursRule, ScheduleDoc } from "../../domain/catalog/catalog.ts";
import { withDayHours } from "../../domain/catalog/change/weekly-hours.ts";
import { deepEqual } from "../../domain/equality.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import { readEdit } from "../../domain/catalog/validate.ts";
import { AppError, assertFound } from "../../domain/errors.ts";
import { quote } from "../../domain/text.ts";
import type { Runtime } from "../runtime.ts";
import { editCatalog } from "./edit-catalog.ts";
import type { ChangeResult } from "./plan-change.ts";

/** A day without hours has no rule, so its name is validated in one for the whole day. */
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
  intervals: readonly { start: string; end: string }[],
): ChangeResult =>
  editSection(rt, slug, "hours", (hours, read) => {
    const isClosed = intervals.length === 0;
    const rules = (isClosed ? [WHOLE_DAY] : intervals).map((interval) => ({ days, ...interval }));
    const authored = read(rules as AuthoredFile["hours"] & object);
    return withDayHours(hours, (authored[0] as HoursRule).days, isClosed ? [] : authored);
  });

/** @throws AppError conflict if there is one with the same days */
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

/** A date, or the month and day of a yearly closure. */
const firstDayOf = (closure: Closure): string =>
  "yearly" in closure ? closure.yearly : closure.from;

/**
 * Deletes the closure that begins on a date.
 * @param first a date, or a month and day such as `01-01` for a yearly closure
 */
export const deleteClosure = (rt: Runtime, slug: string, first: string): ChangeResult =>
  editSection(rt, slug, "closures", (closures) => {
    const found = closures.filter((one) => firstDayOf(one) === first);
    const closure = assertFound(
      found[0],
      `There is no closure that begins on ${quote(first)}.`,
      "deskbell closures list",
    );
    if (found.length > 1)
      throw new AppError("conflict", `Several closures begin on ${quote(first)}.`, {
        fix: "delete one of them in the catalog file, then run deskbell catalog apply FILE",
      });
    return closures.filter((one) => one !== closure);
  });

type Section = "hours" | "closures";

/** @param edit also gets a function that reads items of the section as a catalog file has them */
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
