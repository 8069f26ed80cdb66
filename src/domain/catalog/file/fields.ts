import { z } from "zod";
import {
  isTimezone,
  isEndTime,
  isInstant,
  isLocalDate,
  isRelativeTime,
  isStartTime,
  isYearlyDate,
  YEARS,
} from "../../local-time.ts";
import { CURRENCY_CODES } from "../../money.ts";
import { centsSchema, keySchema, line, integer } from "../../basic-schemas.ts";
import type { HoursRule, OpeningException } from "../catalog.ts";
import type { ImageDoc, CatalogStatus } from "../common.ts";

/*
 * This file has the schemas of single values in a catalog file. The error message of each is a noun
 * phrase, which schema-check.ts puts into "'start' must be <noun>, not '9.30'". The schemas
 * transform nothing.
 */

/** Returns the schema of a text that passes a test; `noun` describes such a text. */
export const checkedText = (noun: string, test: (text: string) => boolean) =>
  z.string(noun).refine(test, noun);

/** Returns the schema of a text, which may have several lines. */
export function text(max: number) {
  const noun = `text of at most ${max} characters`;
  return z
    .string(noun)
    .max(max, noun)
    .regex(/^[^\p{Cs}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$/u, "text without control characters");
}

export const key = keySchema();

const SLUG = "2 to 60 characters of a-z, 0-9 and -";
export const slug = z.string(SLUG).regex(/^[a-z0-9-]{2,60}$/, SLUG);

/**
 * Returns the schema of a decimal as text. The JSON Schema for editors allows numbers too: see
 * {@link DECIMAL_FIELDS}.
 */
const decimal = (noun: string) => z.string(noun).meta({ type: ["string", "number"] });
export const money = decimal("an amount such as 35.00");
export const percent = decimal("a percentage such as 12.5");
export const cents = centsSchema();

/** Fields whose unquoted numbers are read as text, so that 35.00 keeps its digits. */
export const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  "price",
  "deposit",
  "minSubtotal",
  "amount",
  "maxAmount",
  "percent",
]);

export const flag = z.boolean("true or false");

/**
 * Returns the schema of a choice, which is accepted in upper or lower case; documents use upper
 * case.
 */
export const choice = <const T extends string>(...values: T[]) =>
  z.enum([...values, ...values.map((value) => value.toLowerCase() as Lowercase<T>)], oneOf(values));

/** Returns the schema of a choice that is accepted only as it is spelled here. */
export const exactChoice = <const T extends string>(...values: readonly T[]) =>
  z.enum(values, oneOf(values));

function oneOf(values: readonly string[]): string {
  const lower = values.map((value) => value.toLowerCase());
  return lower.length === 1 ? `${lower[0]}` : `${lower.slice(0, -1).join(", ")} or ${lower.at(-1)}`;
}

export const list = <T extends z.ZodType>(item: T, max = 200) => {
  const noun = `a list of at most ${max}`;
  return z.array(item, "a list").max(max, noun);
};

export const fields = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, "a group of fields");

export const optional = <T extends z.ZodRawShape>(shape: T) => z.object(shape).partial().shape;

/**
 * Declares the default values of a document's fields that a file may omit. `readFields` fills them
 * in and `writeFields` omits them again. Each field must have the same name and value in the file
 * and the document. A string default is one of the values of a `choice`, and null stands for no
 * value. `Doc` is given in a call of its own, so that TypeScript infers `K` in the second one.
 */
export const defaultsFor =
  <Doc>() =>
  <K extends keyof Doc>(defaults: Pick<Doc, K>): Pick<Doc, K> =>
    defaults;

/** Fields as a file has them: choices in either case, and no null. */
export type AuthoredFields<Defaults> = {
  [K in keyof Defaults]?: AuthoredValue<Defaults[K]> | undefined;
};
type AuthoredValue<Value> = Value extends string
  ? Value | Lowercase<Value>
  : Value extends null
    ? never
    : Value;

const START = "a time of day such as 09:30";
const END = "a time such as 18:00, at most 48:00 (02:00 the next day is 26:00)";
const DAYS = "mon, tue, wed, thu, fri, sat, sun or a range such as mon-fri";
const DAY = z
  .string(DAYS)
  .regex(/^(?:mon|tue|wed|thu|fri|sat|sun)(?:-(?:mon|tue|wed|thu|fri|sat|sun))?$/, DAYS);

export const interval = {
  start: checkedText(START, isStartTime),
  end: checkedText(END, isEndTime),
};
export const weeklyWindow = {
  days: z.union([DAY, z.array(DAY).min(1, DAYS)], DAYS).optional(),
  ...interval,
};
export const date = checkedText(`a date ${YEARS} that exists, such as 2026-12-25`, isLocalDate);
export const yearlyDate = checkedText("a month and day such as 12-25", isYearlyDate);

const INSTANT = `a date and time ${YEARS} such as 2026-12-31T22:00, alone or with an offset (+01:00)`;
const RELATIVE = "a number of days after seeding and a time, such as 12d 19:30";
export const relativeTime = checkedText(RELATIVE, isRelativeTime);
export const instant = checkedText(INSTANT, (value) => isInstant(value) || isRelativeTime(value));
export const instantOrDate = checkedText(
  `a date ${YEARS} such as 2026-12-25, alone or with a time as in 2026-12-31T22:00 or 2026-12-31T22:00+01:00`,
  (value) => isLocalDate(value) || isInstant(value) || isRelativeTime(value),
);
export const instantOrTime = checkedText(
  `a time on the same day such as 18:30, or ${INSTANT}`,
  (value) => isStartTime(value) || isInstant(value) || isRelativeTime(value),
);

const TIMEZONE = "a time zone's IANA name such as Europe/Zurich";
export const timezone = checkedText(TIMEZONE, (value) => isTimezone(value) && !hasWrongCase(value));

const CURRENCY = "a currency's ISO 4217 code such as CHF";
export const currency = checkedText(CURRENCY, (value) => CURRENCY_CODES.includes(value));

// `Intl` accepts a time zone in the wrong case such as `europe/zurich`, but a partner's library may
// not.
const hasWrongCase = (zone: string): boolean =>
  Intl.supportedValuesOf("timeZone").some(
    (known) => known !== zone && known.toLowerCase() === zone.toLowerCase(),
  );

const LOCALE = "a language such as de or pt-BR";
export const locale = z.string(LOCALE).regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, LOCALE);

const urlLike = (example: string) => {
  const error = `a web address such as ${example}`;
  return z.url({ protocol: /^https?$/, error }).max(2000, error);
};
export const webAddress = urlLike("https://example.com/about");
export const imageAddress = urlLike("https://example.com/soup.jpg");

const EMAIL = "an e-mail address";
export const email = z.email(EMAIL).max(200, EMAIL);

const COLOUR = "a colour such as #aa3366";
export const colour = z.string(COLOUR).regex(/^#[0-9a-fA-F]{6}$/, COLOUR);

export const status = choice("ACTIVE", "INACTIVE", "ARCHIVED");
export const DEFAULT_STATUS: CatalogStatus = "ACTIVE";

const image = z.union(
  [
    imageAddress,
    fields({
      url: imageAddress,
      ...optional({ alt: line(300), width: integer(1, 100_000), height: integer(1, 100_000) }),
    }),
  ],
  "a web address, or the fields url, alt, width and height",
);

export const IMAGE_DEFAULTS = defaultsFor<ImageDoc>()({ alt: null, width: null, height: null });

const translation = fields(
  optional({ name: line(200), description: text(10_000), title: line(200), bio: text(10_000) }),
);

export const keyed = { key, name: line(200), previousKeys: list(key, 50).optional() };

export const images = list(image, 50);

export const presented = optional({
  images,
  translations: z.record(
    locale,
    translation,
    "a group of languages with their texts, such as de: { name: Suppe }",
  ),
});

export const common = { ...keyed, status: status.optional(), ...presented };

export const description = text(10_000).optional();
export const described = { ...common, description };
export const price = optional({ price: money, priceCents: cents });
export const tags = list(line(50), 50);
export const keys = list(key, 1000);

export const windows = list(fields(weeklyWindow));

const hoursRule = fields({ ...weeklyWindow, ...optional({ validFrom: date, validTo: date }) });
export type AuthoredHours = z.infer<typeof hoursRule>;
export const hours = list(hoursRule);
export const HOURS_DEFAULTS = defaultsFor<HoursRule>()({ validFrom: null, validTo: null });

const intervals = list(fields(interval), 20);
const exception = fields({
  date,
  ...optional({ mode: choice("REPLACE", "ADD", "REMOVE"), intervals }),
});
/** An exception to the hours of the business, which can also limit the hours of all staff. */
const openingException = fields({
  date,
  ...optional({ mode: choice("REPLACE", "ADD", "REMOVE", "ONLY"), intervals }),
});
export type AuthoredException = z.infer<typeof exception>;
export type AuthoredOpeningException = z.infer<typeof openingException>;
export const exceptions = list(exception, 1000);
export const openingExceptions = list(openingException, 1000);
export const EXCEPTION_DEFAULTS = defaultsFor<OpeningException>()({ mode: "REPLACE" });
