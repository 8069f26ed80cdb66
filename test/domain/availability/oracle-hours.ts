import type {
  Catalog,
  HoursRule,
  OpeningException,
  StaffDoc,
} from "../../../src/domain/catalog/catalog.ts";
import { addDays, dateExists, instantOf } from "./oracle-clock.ts";

/** The working time of a person or of the business, minute by minute. */
export type OracleHours = {
  worksAt: (minute: number) => boolean;
  /** The start and end of each shift, for grids that count from the start of a shift. */
  shifts: { from: number; to: number }[];
};

const NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const weekday = (date: string) => NAMES[Temporal.PlainDate.from(date).dayOfWeek - 1]!;
const clock = (text: string) => {
  const [hours, minutes] = text.split(":");
  return Number(hours) * 60 + Number(minutes);
};

/** Returns the working time of a person, or of the business if `person` is undefined. */
export function oracleHours(
  catalog: Catalog,
  person: StaffDoc | undefined,
  from: string,
  to: string,
): OracleHours {
  const zone = catalog.business.timezone;
  const working = new Set<number>();
  const shifts: OracleHours["shifts"] = [];
  const dates: string[] = [];
  for (let date = addDays(from, -3); date <= addDays(to, 3); date = addDays(date, 1))
    if (dateExists(zone, date)) dates.push(date);

  for (const date of dates) {
    const own = (exceptions: OpeningException[]) =>
      exceptions.filter((exception) => exception.date === date);
    const usual = (rules: HoursRule[]) =>
      rules.filter(
        (rule) =>
          rule.days.includes(weekday(date)) &&
          !(rule.validFrom !== null && date < rule.validFrom) &&
          !(rule.validTo !== null && date > rule.validTo),
      );
    let minutes = new Set<number>();
    const open = ({ start, end }: { start: string; end: string }) => {
      const last = instantOf(zone, date, clock(end), "end of opening");
      for (let m = instantOf(zone, date, clock(start), "start of opening"); m < last; m += 1)
        minutes.add(m);
    };
    const amend = (exceptions: OpeningException[]) => {
      if (exceptions.some(({ mode }) => mode === "REPLACE" || mode === "ONLY")) minutes = new Set();
      for (const { mode, intervals } of exceptions) if (mode !== "REMOVE") intervals.forEach(open);
      for (const { mode, intervals } of exceptions)
        if (mode === "REMOVE")
          for (const { start, end } of intervals) {
            const last = instantOf(zone, date, clock(end), "end of closing");
            for (let m = instantOf(zone, date, clock(start), "start of closing"); m < last; m += 1)
              minutes.delete(m);
          }
    };
    if (person?.hours) usual(person.hours).forEach(open);
    else {
      usual(catalog.schedule.hours).forEach(open);
      amend(own(catalog.schedule.exceptions));
    }
    if (person) {
      amend(own(person.exceptions));
      const only = own(catalog.schedule.exceptions).filter(({ mode }) => mode === "ONLY");
      const worked = minutes;
      minutes = new Set();
      only.flatMap(({ intervals }) => intervals).forEach(open);
      minutes = only.length === 0 ? worked : minutes.intersection(worked);
    }

    for (const minute of minutes) {
      working.add(minute);
      if (minutes.has(minute - 1)) continue;
      let end = minute;
      while (minutes.has(end)) end += 1;
      shifts.push({ from: minute, to: end });
    }
  }

  const close = (first: number, last: number) => {
    for (let m = first; m < last; m += 1) working.delete(m);
  };
  for (const date of dates) {
    const closed = catalog.schedule.closures.some((closure) =>
      "yearly" in closure
        ? date.endsWith(`-${closure.yearly}`)
        : closure.from <= date && date <= closure.to,
    );
    const cut = (start: number, end: number) =>
      close(
        instantOf(zone, date, start, "start of closing"),
        instantOf(zone, date, end, "end of closing"),
      );
    if (closed) cut(0, 1440);
    for (const { days, start, end } of person?.breaks ?? [])
      if (days.includes(weekday(date))) cut(clock(start), clock(end));
  }
  for (const minute of working)
    if (
      person?.timeOff.some(({ from, to }) => from < (minute + 1) * 60_000 && minute * 60_000 < to)
    )
      working.delete(minute);
  return { worksAt: (minute) => working.has(minute), shifts };
}
