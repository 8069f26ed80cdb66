import type {
  Catalog,
  Day,
  HoursException,
  HoursRule,
  ImageDoc,
  Translations,
  WeeklyWindow,
} from "../catalog.ts";
import {
  DEFAULT_STATUS,
  EXCEPTION_DEFAULTS,
  HOURS_DEFAULTS,
  IMAGE_DEFAULTS,
} from "../file/common-fields.ts";
import type { AuthoredFields } from "../file/defaults.ts";
import type { AuthoredException, AuthoredHours, AuthoredService } from "../file/schema.ts";
import type { Path, CatalogIssue } from "../catalog-issue.ts";
import { isRelativeTime, minutesOf, parseInstant, parseRelativeTime } from "../../local-time.ts";
import { parseMoney } from "../../money.ts";
import { quote } from "../../text.ts";

export type ReadContext = {
  currency: string;
  timezone: string;
  /** Epoch ms that relative times such as `12d 19:30` count from; null if they are not allowed. */
  seedingAt: number | null;
  current: Catalog | null;
  addIssue: (issue: CatalogIssue) => void;
};

/** The fields of `defaults` as the document has them: omitted ones filled in, choices in upper case. */
export function readFields<D extends object>(item: AuthoredFields<D>, defaults: D): D {
  const fields: Record<string, unknown> = {};
  for (const name in defaults) {
    const standard = defaults[name];
    const value = (item as Record<string, unknown>)[name] ?? standard;
    if (typeof standard === "string") fields[name] = upper(value as string);
    else fields[name] = Array.isArray(value) ? unique(value) : value;
  }
  return fields as D;
}

type AuthoredNamed = { key: string; name: string; previousKeys?: string[] | undefined };
type AuthoredPresented = Pick<AuthoredService, "images" | "translations">;
type AuthoredCommon = AuthoredNamed & AuthoredPresented & Pick<AuthoredService, "status">;

export const readNamed = (item: AuthoredNamed) => ({
  key: item.key,
  previousKeys: item.previousKeys ?? [],
  name: item.name,
});

export const readCommon = (item: AuthoredCommon) => ({
  ...readNamed(item),
  status: upper(item.status ?? DEFAULT_STATUS),
  ...readPresented(item),
});

export const readPresented = (item: AuthoredPresented) => ({
  images: (item.images ?? []).map(readImage),
  translations: readTranslations(item.translations),
});

/** Documents hold the values of a `choice` in upper case. */
export const upper = <T extends string>(value: T): Uppercase<T> =>
  value.toUpperCase() as Uppercase<T>;

/** Trimmed, because YAML's block texts end with a line break; null if empty. */
export const readText = (text: string | undefined): string | null => text?.trim() || null;

export const unique = <T>(values: readonly T[] | undefined): T[] => [...new Set(values)];

function readImage(image: NonNullable<AuthoredPresented["images"]>[number]): ImageDoc {
  const fields = typeof image === "string" ? { url: image } : image;
  return { url: fields.url, ...readFields(fields, IMAGE_DEFAULTS) };
}

function readTranslations(translations: AuthoredPresented["translations"]): Translations {
  const read: Translations = {};
  for (const [locale, fields] of Object.entries(translations ?? {}))
    read[locale] = Object.fromEntries(
      Object.entries(fields).flatMap(([field, text]) => (text ? [[field, text.trim()]] : [])),
    );
  return read;
}

type AuthoredAmount<N extends string> = { [K in N]?: string | undefined } & {
  [K in `${N}Cents`]?: number | undefined;
};

/** An amount in minor units; null if the file has none. */
export function readAmount<N extends string>(
  context: ReadContext,
  item: AuthoredAmount<N>,
  path: Path,
  field: N,
): number | null {
  const text = item[field] as string | undefined;
  const cents = item[`${field}Cents`] as number | undefined;
  if (text === undefined) return cents ?? null;
  if (cents !== undefined) addDuplicate(context, path, field, `${field}Cents`);
  const amount = parseMoney(text, context.currency);
  if ("units" in amount) return amount.units;
  context.addIssue({
    code: "invalid_value",
    path: [...path, field],
    detail: `'${field}' ${amount.problem}.`,
  });
  return 0;
}

/** Like `readAmount`, but reports a missing amount. @param owner the noun for the message */
export function readRequiredAmount<N extends string>(
  context: ReadContext,
  item: AuthoredAmount<N>,
  path: Path,
  field: N,
  owner: string,
): number {
  const amount = readAmount(context, item, path, field);
  if (amount === null) addMissing(context, path, field, `${owner} needs one`);
  return amount ?? 0;
}

/** 0, for an object whose type has no price; reports an amount that the file has all the same. */
export function readNoAmount<N extends string>(
  context: ReadContext,
  item: AuthoredAmount<N>,
  path: Path,
  field: N,
  type: string,
): number {
  if (readAmount(context, item, path, field))
    addContradiction(
      context,
      [...path, field],
      `'${field}' conflicts with '${type.toLowerCase()}'. Remove one of them.`,
    );
  return 0;
}

export const addContradiction = (context: ReadContext, path: Path, detail: string): void =>
  context.addIssue({ code: "contradiction", path, detail });

/** Reports a missing field. @param reason the rest of the sentence after a colon */
export const addMissing = (context: ReadContext, path: Path, field: string, reason: string): void =>
  context.addIssue({
    code: "missing_field",
    path: [...path, field],
    detail: `'${field}' is missing: ${reason}.`,
  });

/** Reports two fields that set the same value, at the second one. */
export const addDuplicate = (
  context: ReadContext,
  path: Path,
  first: string,
  second: string,
): void =>
  addContradiction(
    context,
    [...path, second],
    `'${first}' and '${second}' set the same value. Keep one of them.`,
  );

/** Epoch ms; NaN if the text is invalid, which is then reported. */
export function readInstant(context: ReadContext, text: string, path: Path): number {
  const { timezone, seedingAt } = context;
  if (!isRelativeTime(text)) return parseInstant(text, timezone);
  if (seedingAt !== null) return parseRelativeTime(text, timezone, seedingAt);
  context.addIssue({
    code: "invalid_value",
    path,
    detail: `'${text}' is relative to the day of seeding and works only with 'seed'. Write a date and time such as 2026-12-31T22:00.`,
  });
  return Number.NaN;
}

export const readOptionalInstant = (
  context: ReadContext,
  text: string | undefined,
  path: Path,
): number | null => (text === undefined ? null : readInstant(context, text, path));

/** Reports an end that is not after its start. An invalid one is NaN and compares as false. */
export function validateOrder(
  context: ReadContext,
  from: number,
  to: number,
  path: Path,
  [first, last]: [string, string],
): void {
  if (to <= from) addContradiction(context, [...path, last], `'${last}' is not after '${first}'.`);
}

const WEEK: readonly Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

function readDays(days: string | string[] | undefined): Day[] {
  if (days === undefined) return [...WEEK];
  const named = new Set([days].flat().flatMap(daysIn));
  return WEEK.filter((day) => named.has(day));
}

/** A range such as `fri-mon` may wrap around the end of the week. */
function daysIn(range: string): Day[] {
  const [first, last = first] = range.split("-") as [Day, Day?];
  const from = WEEK.indexOf(first);
  const length = ((WEEK.indexOf(last) - from + 7) % 7) + 1;
  return [...WEEK, ...WEEK].slice(from, from + length);
}

type Interval = { start: string; end: string };

function readInterval(context: ReadContext, { start, end }: Interval, path: Path): Interval {
  if (minutesOf(end) <= minutesOf(start)) {
    const nextDay = `${String(Number(end.slice(0, 2)) + 24)}${end.slice(2)}`;
    const hint = minutesOf(end) <= 24 * 60 ? ` For ${end} on the next day, write ${nextDay}.` : "";
    addContradiction(
      context,
      [...path, "end"],
      `'end' ${end} is not after 'start' ${start}.${hint}`,
    );
  }
  return { start, end };
}

type AuthoredWindow = Interval & { days?: string | string[] | undefined };

export const readWindows = (
  context: ReadContext,
  windows: readonly AuthoredWindow[] | undefined,
  path: Path,
): WeeklyWindow[] =>
  (windows ?? []).map((window, index) => readWindow(context, window, [...path, index]));

const readWindow = (context: ReadContext, window: AuthoredWindow, path: Path): WeeklyWindow => ({
  days: readDays(window.days),
  ...readInterval(context, window, path),
});

export function readHoursRule(context: ReadContext, rule: AuthoredHours, path: Path): HoursRule {
  const { validFrom, validTo } = rule;
  if (validFrom !== undefined && validTo !== undefined && validTo < validFrom)
    addContradiction(
      context,
      [...path, "validTo"],
      `'validTo' ${validTo} is before 'validFrom' ${validFrom}.`,
    );
  return { ...readWindow(context, rule, path), ...readFields(rule, HOURS_DEFAULTS) };
}

export function readException(
  context: ReadContext,
  exception: AuthoredException,
  path: Path,
): HoursException {
  const { mode } = readFields(exception, EXCEPTION_DEFAULTS);
  const intervals = exception.intervals ?? [];
  if (mode !== "REPLACE" && intervals.length === 0)
    addMissing(context, path, "intervals", `list the hours to ${mode.toLowerCase()}`);
  return {
    date: exception.date,
    mode,
    intervals: intervals.map((interval, index) =>
      readInterval(context, interval, [...path, "intervals", index]),
    ),
  };
}

/** Reports each repeated key. @param noun singular, such as `variant` */
export function validateUnique(
  context: ReadContext,
  keys: readonly string[],
  path: Path,
  field: string,
  noun: string,
): void {
  const seen = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      context.addIssue({
        code: "repeated_key",
        path: [...path, index, field],
        detail: `The ${noun} ${quote(key)} is listed twice.`,
        otherPath: [...path, first, field],
      });
  }
}
