import type { z } from "zod";
import type { HoursException, HoursRule, OpeningException } from "../catalog.ts";
import {
  type Weekday,
  type ImageDoc,
  type Translations,
  WEEK,
  type WeeklyWindow,
} from "../common.ts";
import type { Path, CatalogIssue } from "../catalog-issue.ts";
import {
  addDays,
  isLocalDate,
  isRelativeTime,
  minutesOf,
  parseInstant,
  parseRelativeTime,
  startOfDay,
} from "../../local-time.ts";
import { type Currency, parseMoney } from "../../money.ts";
import { quote } from "../../text.ts";
import {
  type AuthoredException,
  type AuthoredOpeningException,
  type AuthoredHours,
  DEFAULT_STATUS,
  EXCEPTION_DEFAULTS,
  HOURS_DEFAULTS,
  IMAGE_DEFAULTS,
  type keyed,
  type presented,
  type status,
  type AuthoredFields,
} from "./fields.ts";

export type ReadContext = {
  currency: Currency;
  timezone: string;
  seedingAt: number | null;
  /** The maximum quantity of each add-on, by key: from the files, else from the stored catalog. */
  maxQuantities: Map<string, number>;
  addIssue: (issue: CatalogIssue) => void;
};

type AuthoredAmount<N extends string> = { [K in N]?: string | undefined } & {
  [K in `${N}Cents`]?: number | undefined;
};

/** Reads the values at one path in the files and reports their issues. */
export class Reader {
  readonly context: ReadContext;
  readonly path: Path;

  constructor(context: ReadContext, path: Path) {
    this.context = context;
    this.path = path;
  }

  /** Returns the reader of a value inside this one. */
  at = (...parts: Path): Reader => new Reader(this.context, [...this.path, ...parts]);

  addIssue(code: CatalogIssue["code"], detail: string, ...field: Path): void {
    this.context.addIssue({ code, path: [...this.path, ...field], detail });
  }

  addContradiction(field: string, detail: string): void {
    this.addIssue("contradiction", detail, field);
  }

  /** @param reason the text that follows the colon in the message */
  addMissing(field: string, reason: string): void {
    this.addIssue("missing_field", `'${field}' is missing: ${reason}.`, field);
  }

  /** Reports the second of two fields that set the same value. */
  addDuplicate(first: string, second: string): void {
    this.addContradiction(
      second,
      `'${first}' and '${second}' set the same value. Keep one of them.`,
    );
  }

  /** Returns an amount in minor units; null if the file has none, 0 if it is invalid. */
  amount<N extends string>(item: AuthoredAmount<N>, field: N): number | null {
    const text = item[field] as string | undefined;
    const cents = item[`${field}Cents`] as number | undefined;
    if (text === undefined) return cents ?? null;
    if (cents !== undefined) this.addDuplicate(field, `${field}Cents`);
    const amount = parseMoney(text, this.context.currency);
    if ("units" in amount) return amount.units;
    this.addIssue("invalid_value", `'${field}' ${amount.problem}.`, field);
    return 0;
  }

  /** @param owner what needs the amount, as named in the message, such as "a size" */
  requiredAmount<N extends string>(item: AuthoredAmount<N>, field: N, owner: string): number {
    const amount = this.amount(item, field);
    if (amount === null) this.addMissing(field, `${owner} needs one`);
    return amount ?? 0;
  }

  /** Returns 0 for an object whose type has no price, and reports a price above 0 in the file. */
  noPrice(item: AuthoredAmount<"price">, type: string): number {
    if (this.amount(item, "price"))
      this.addContradiction(
        "price",
        `'price' conflicts with '${type.toLowerCase()}'. Remove one of them.`,
      );
    return 0;
  }

  /**
   * Returns epoch milliseconds. A relative time outside of seeding is reported as an issue and
   * gives NaN.
   */
  instant(text: string, field: string): number {
    const { timezone, seedingAt } = this.context;
    if (!isRelativeTime(text)) return parseInstant(text, timezone);
    if (seedingAt !== null) return parseRelativeTime(text, timezone, seedingAt);
    this.addIssue(
      "invalid_value",
      `'${text}' is relative to the day of seeding and works only with 'seed'. Write a date and time such as 2026-12-31T22:00.`,
      field,
    );
    return Number.NaN;
  }

  optionalInstant(text: string | undefined, field: string): number | null {
    return text === undefined ? null : this.instant(text, field);
  }

  /** Returns the start of a period. A date alone means the start of that day. */
  start(text: string, field: string): number {
    return isLocalDate(text) ? startOfDay(text, this.context.timezone) : this.instant(text, field);
  }

  /** Returns the end of a period. A date alone means the end of that day. */
  end(text: string, field: string): number {
    return isLocalDate(text)
      ? startOfDay(addDays(text, 1), this.context.timezone)
      : this.instant(text, field);
  }

  /**
   * Reports an end that is not after its start. An invalid time is NaN, and is not reported again.
   */
  validateOrder(from: number | null, to: number | null, [first, last]: [string, string]): void {
    if (from !== null && to !== null && to <= from)
      this.addContradiction(last, `'${last}' is not after '${first}'.`);
  }

  list<T, D>(
    items: readonly T[] | undefined,
    field: string,
    read: (reader: Reader, item: T) => D,
  ): D[] {
    return (items ?? []).map((item, index) => read(this.at(field, index), item));
  }

  /**
   * Returns the items of a list and reports repeated keys.
   * @param unique `key`: the field that identifies an item; `noun`: what messages call an item,
   * such as "variant"
   */
  uniqueList<T, K extends string, D extends Record<K, string>>(
    items: readonly T[] | undefined,
    field: string,
    { key, noun }: { key: K; noun: string },
    read: (reader: Reader, item: T) => D,
  ): D[] {
    const docs = this.list(items, field, read);
    const seen = new Map<string, number>();
    for (const [index, doc] of docs.entries()) {
      const first = seen.get(doc[key]);
      if (first === undefined) seen.set(doc[key], index);
      else
        this.context.addIssue({
          code: "repeated_key",
          path: [...this.path, field, index, key],
          detail: `The ${noun} ${quote(doc[key])} is listed twice.`,
          otherPath: [...this.path, field, first, key],
        });
    }
    return docs;
  }

  windows(windows: readonly AuthoredWindow[] | undefined, field: string): WeeklyWindow[] {
    return this.list(windows, field, readWindow);
  }
}

/**
 * Returns the fields of `defaults`: omitted fields are filled in, choices (fields with a text as
 * their default) are in upper case, and lists have no repetitions.
 */
export function readFields<D extends object>(item: AuthoredFields<D>, defaults: D): D {
  const fields: Record<string, unknown> = {};
  for (const name in defaults) {
    const defaultValue = defaults[name];
    const value = (item as Record<string, unknown>)[name] ?? defaultValue;
    if (typeof defaultValue === "string") fields[name] = upper(value as string);
    else fields[name] = Array.isArray(value) ? unique(value) : value;
  }
  return fields as D;
}

type AuthoredNamed = z.infer<z.ZodObject<typeof keyed>>;
type AuthoredPresented = z.infer<z.ZodObject<typeof presented>>;
type AuthoredCommon = AuthoredNamed &
  AuthoredPresented & { status?: z.infer<typeof status> | undefined };

export const readNamed = ({ key, previousKeys = [], name }: AuthoredNamed) => ({
  key,
  previousKeys,
  name,
});

export const readPresented = (item: AuthoredPresented) => ({
  images: readImages(item.images),
  translations: readTranslations(item.translations),
});

export const readCommon = (item: AuthoredCommon) => ({
  ...readNamed(item),
  status: upper(item.status ?? DEFAULT_STATUS),
  ...readPresented(item),
});

export const readDescribed = (item: AuthoredCommon & { description?: string | undefined }) => ({
  ...readCommon(item),
  description: trimToNull(item.description),
});

export const upper = <T extends string>(value: T): Uppercase<T> =>
  value.toUpperCase() as Uppercase<T>;

/**
 * Returns the text trimmed, because YAML's block texts end with a line break; null if it is empty.
 */
export const trimToNull = (text: string | undefined): string | null => text?.trim() || null;

export const unique = <T>(values: readonly T[] | undefined): T[] => [...new Set(values)];

export const readImages = (images: AuthoredPresented["images"] = []): ImageDoc[] =>
  images.map((image) => {
    const fields = typeof image === "string" ? { url: image } : image;
    return { url: fields.url, ...readFields(fields, IMAGE_DEFAULTS) };
  });

function readTranslations(translations: AuthoredPresented["translations"]): Translations {
  const byLocale: Translations = {};
  for (const [locale, fields] of Object.entries(translations ?? {}))
    byLocale[locale] = Object.fromEntries(
      Object.entries(fields).flatMap(([field, text]) => (text ? [[field, text.trim()]] : [])),
    );
  return byLocale;
}

function readDays(days: string | string[] | undefined): Weekday[] {
  if (days === undefined) return [...WEEK];
  const named = new Set([days].flat().flatMap(daysIn));
  return WEEK.filter((day) => named.has(day));
}

/** Returns the days of a range, which may wrap around the end of the week, such as `fri-mon`. */
function daysIn(range: string): Weekday[] {
  const [first, last = first] = range.split("-") as [Weekday, Weekday?];
  const from = WEEK.indexOf(first);
  const length = ((WEEK.indexOf(last) - from + 7) % 7) + 1;
  return [...WEEK, ...WEEK].slice(from, from + length);
}

type WallInterval = { start: string; end: string };

function readInterval(reader: Reader, { start, end }: WallInterval): WallInterval {
  if (minutesOf(end) <= minutesOf(start)) {
    const nextDay = `${String(Number(end.slice(0, 2)) + 24)}${end.slice(2)}`;
    reader.addContradiction(
      "end",
      `'end' ${end} is not after 'start' ${start}. For ${end} on the next day, write ${nextDay}.`,
    );
  }
  return { start, end };
}

type AuthoredWindow = WallInterval & { days?: string | string[] | undefined };

const readWindow = (reader: Reader, window: AuthoredWindow): WeeklyWindow => ({
  days: readDays(window.days),
  ...readInterval(reader, window),
});

export function readHoursRule(reader: Reader, rule: AuthoredHours): HoursRule {
  const { validFrom, validTo } = rule;
  if (validFrom !== undefined && validTo !== undefined && validTo < validFrom)
    reader.addContradiction("validTo", `'validTo' ${validTo} is before 'validFrom' ${validFrom}.`);
  return { ...readWindow(reader, rule), ...readFields(rule, HOURS_DEFAULTS) };
}

/** The cast is safe, because the schema of staff exceptions refuses the mode ONLY. */
export const readException = (reader: Reader, exception: AuthoredException): HoursException =>
  readOpeningException(reader, exception) as HoursException;

export function readOpeningException(
  reader: Reader,
  exception: AuthoredOpeningException,
): OpeningException {
  const { mode } = readFields(exception, EXCEPTION_DEFAULTS);
  // ADD and REMOVE need intervals. REPLACE and ONLY without intervals close the day.
  if ((mode === "ADD" || mode === "REMOVE") && !exception.intervals?.length)
    reader.addMissing("intervals", `list the hours to ${mode.toLowerCase()}`);
  return {
    date: exception.date,
    mode,
    intervals: reader.list(exception.intervals, "intervals", readInterval),
  };
}
