import type {
  Catalog,
  Day,
  HoursException,
  HoursRule,
  ImageDoc,
  Translations,
  WeeklyWindow,
} from "../catalog.ts";
import { isRelativeTime, minutesOf, parseInstant, parseRelativeTime } from "../../local-time.ts";
import { type ValidationIssue, type Path, quote } from "../validation-issue.ts";
import type { AuthoredException, AuthoredHours, AuthoredService } from "../file/schema.ts";
import { parseMoney } from "../../money.ts";

/** What the sections are read with. */
export type ReadContext = {
  currency: string;
  timezone: string;
  /** Epoch milliseconds; null when this is no seeding, and days cannot be counted from it. */
  seedingAt: number | null;
  current: Catalog | null;
  addIssue: (mistake: ValidationIssue) => void;
};

type Keyed = { key: string; name: string; previousKeys?: string[] | undefined };
type Presented = Pick<AuthoredService, "images" | "translations">;
type Common = Keyed & Presented & Pick<AuthoredService, "status">;

export const keyedFields = (item: Keyed) => ({
  key: item.key,
  previousKeys: item.previousKeys ?? [],
  name: item.name,
});

export const commonFields = (item: Common) => ({
  ...keyedFields(item),
  status: upper(item.status ?? "ACTIVE"),
  ...presentedFields(item),
});

export const presentedFields = (item: Presented) => ({
  images: (item.images ?? []).map(readImage),
  translations: readTranslations(item.translations),
});

/** Choices are held in upper case. */
export const upper = <T extends string>(value: T): Uppercase<T> =>
  value.toUpperCase() as Uppercase<T>;

/** Lines without the ends that YAML's block texts bring. */
export const readText = (text: string | undefined): string | null => text?.trim() || null;

export const unique = <T>(values: readonly T[] | undefined): T[] => [...new Set(values)];

function readImage(image: NonNullable<Presented["images"]>[number]): ImageDoc {
  if (typeof image === "string") return { url: image, alt: null, width: null, height: null };
  return {
    url: image.url,
    alt: image.alt ?? null,
    width: image.width ?? null,
    height: image.height ?? null,
  };
}

function readTranslations(translations: Presented["translations"]): Translations {
  const read: Translations = {};
  for (const [locale, fields] of Object.entries(translations ?? {}))
    read[locale] = Object.fromEntries(
      Object.entries(fields).flatMap(([field, text]) => (text ? [[field, text.trim()]] : [])),
    );
  return read;
}

type Amounts<N extends string> = { [K in N]?: string | undefined } & {
  [K in `${N}Cents`]?: number | undefined;
};

/** An amount in minor units, or null where none is written. */
export function readAmount<N extends string>(
  reader: ReadContext,
  item: Amounts<N>,
  at: Path,
  field: N,
): number | null {
  const text = item[field] as string | undefined;
  const cents = item[`${field}Cents`] as number | undefined;
  if (text === undefined) return cents ?? null;
  if (cents !== undefined)
    addContradiction(
      reader,
      [...at, `${field}Cents`],
      `'${field}' and '${field}Cents' say the same thing. Keep one of them.`,
    );
  const amount = parseMoney(text, reader.currency);
  if ("units" in amount) return amount.units;
  reader.addIssue({
    code: "invalid_value",
    at: [...at, field],
    detail: `'${field}' ${amount.problem}.`,
  });
  return 0;
}

/** As `readAmount`, where `whose` cannot do without. */
export function readRequiredAmount<N extends string>(
  reader: ReadContext,
  item: Amounts<N>,
  at: Path,
  field: N,
  whose: string,
): number {
  const amount = readAmount(reader, item, at, field);
  if (amount === null)
    reader.addIssue({
      code: "missing_field",
      at: [...at, field],
      detail: `'${field}' is missing: ${whose} needs one.`,
    });
  return amount ?? 0;
}

/** The price of something whose `type` says that it has none: 0, and none may be written. */
export function validateNoAmount<N extends string>(
  reader: ReadContext,
  item: Amounts<N>,
  at: Path,
  field: N,
  type: string,
): number {
  if (readAmount(reader, item, at, field))
    addContradiction(
      reader,
      [...at, field],
      `'${field}' cannot stand beside '${type.toLowerCase()}'. Remove one of them.`,
    );
  return 0;
}

export const addContradiction = (reader: ReadContext, at: Path, detail: string): void =>
  reader.addIssue({ code: "contradiction", at, detail });

/** Epoch milliseconds; NaN for what could not be read, which was reported. */
export function readInstant(reader: ReadContext, text: string, at: Path): number {
  if (!isRelativeTime(text)) return parseInstant(text, reader.timezone);
  if (reader.seedingAt !== null) return parseRelativeTime(text, reader.timezone, reader.seedingAt);
  reader.addIssue({
    code: "invalid_value",
    at,
    detail: `'${text}' counts from the day of seeding, which only 'seed' knows. Write a date and time such as 2026-12-31T22:00.`,
  });
  return Number.NaN;
}

export const readOptionalInstant = (
  reader: ReadContext,
  text: string | undefined,
  at: Path,
): number | null => (text === undefined ? null : readInstant(reader, text, at));

/** Nothing is said where one of them could not be read: NaN compares with nothing. */
export function validateOrder(
  reader: ReadContext,
  from: number,
  to: number,
  at: Path,
  [first, last]: [string, string],
): void {
  if (to <= from) addContradiction(reader, [...at, last], `'${last}' is not after '${first}'.`);
}

const WEEK: readonly Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

function readDays(days: string | string[] | undefined): Day[] {
  if (days === undefined) return [...WEEK];
  const named = new Set([days].flat().flatMap(daysIn));
  return WEEK.filter((day) => named.has(day));
}

/** `fri-mon` goes round the end of the week. */
function daysIn(range: string): Day[] {
  const [first, last = first] = range.split("-") as [Day, Day?];
  const from = WEEK.indexOf(first);
  const length = ((WEEK.indexOf(last) - from + 7) % 7) + 1;
  return [...WEEK, ...WEEK].slice(from, from + length);
}

type Interval = { start: string; end: string };

function readInterval(reader: ReadContext, { start, end }: Interval, at: Path): Interval {
  if (minutesOf(end) <= minutesOf(start)) {
    const late = `${String(Number(end.slice(0, 2)) + 24)}${end.slice(2)}`;
    const hint = minutesOf(end) <= 24 * 60 ? ` For ${end} on the day after, write ${late}.` : "";
    addContradiction(reader, [...at, "end"], `'end' ${end} is not after 'start' ${start}.${hint}`);
  }
  return { start, end };
}

type Window = Interval & { days?: string | string[] | undefined };

export const readWindows = (
  reader: ReadContext,
  windows: readonly Window[] | undefined,
  at: Path,
): WeeklyWindow[] =>
  (windows ?? []).map((window, index) => readWindow(reader, window, [...at, index]));

const readWindow = (reader: ReadContext, window: Window, at: Path): WeeklyWindow => ({
  days: readDays(window.days),
  ...readInterval(reader, window, at),
});

export function readHoursRule(reader: ReadContext, rule: AuthoredHours, at: Path): HoursRule {
  const { validFrom = null, validTo = null } = rule;
  if (validFrom !== null && validTo !== null && validTo < validFrom)
    addContradiction(
      reader,
      [...at, "validTo"],
      `'validTo' ${validTo} is before 'validFrom' ${validFrom}.`,
    );
  return { ...readWindow(reader, rule, at), validFrom, validTo };
}

export function readException(
  reader: ReadContext,
  exception: AuthoredException,
  at: Path,
): HoursException {
  const mode = upper(exception.mode ?? "REPLACE");
  const intervals = exception.intervals ?? [];
  if (mode !== "REPLACE" && intervals.length === 0)
    reader.addIssue({
      code: "missing_field",
      at: [...at, "intervals"],
      detail: `'intervals' is missing: say which hours to ${mode.toLowerCase()}.`,
    });
  return {
    date: exception.date,
    mode,
    intervals: intervals.map((interval, index) =>
      readInterval(reader, interval, [...at, "intervals", index]),
    ),
  };
}

/** Reports every second use of a key. `what` is the singular: `variant`. */
export function validateUnique(
  reader: ReadContext,
  keys: readonly string[],
  at: Path,
  field: string,
  what: string,
): void {
  const seen = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      reader.addIssue({
        code: "repeated_key",
        at: [...at, index, field],
        detail: `The ${what} ${quote(key)} is listed twice.`,
        first: [...at, first, field],
      });
  }
}
