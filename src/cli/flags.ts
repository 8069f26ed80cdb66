import { InvalidArgumentError, Option } from "commander";
import { ALL_EVENT_TYPES, type EventType, isEventType } from "../domain/events/event-types.ts";
import { didYouMean } from "../domain/nearest.ts";
import { usageError } from "./failure.ts";
import { parseDuration, parsePastTime } from "../domain/local-time.ts";

/** An option of a command; `read` returns its value with its type. */
export type Flag<Value> = { option: (long: string) => Option; read: (raw: unknown) => Value };
export type Flags = Record<string, Flag<unknown>>;
export type FlagValues<F extends Flags> = { [Name in keyof F]: ReturnType<F[Name]["read"]> };

/** Returns the name of an option: `limitMinute` -> `--limit-minute`. */
const longOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
export const optionOf = (name: string, flag: Flag<unknown>): Option => flag.option(longOf(name));

export const toggle = (about: string): Flag<boolean> => ({
  option: (long) => new Option(long, about),
  read: (raw) => raw === true,
});

const flag = <Value>(
  placeholder: string,
  about: string,
  refine: (option: Option) => Option = (option) => option,
): Flag<Value> => ({
  option: (long) => refine(new Option(`${long} <${placeholder}>`, about)),
  read: (raw) => raw as Value,
});

export const text = (placeholder: string, about: string) =>
  flag<string | undefined>(placeholder, about);

export const requiredText = (placeholder: string, about: string) =>
  flag<string>(placeholder, about, (option) => option.makeOptionMandatory());

/** An option that is repeated for each value. A variadic option would consume later arguments. */
export const texts = (placeholder: string, about: string): Flag<string[]> => ({
  ...flag(placeholder, about, (option) =>
    option.argParser((value: string, before: string[] = []) => [...before, value]),
  ),
  read: (raw) => (raw ?? []) as string[],
});

export const choice = <const Value extends string>(
  values: readonly Value[],
  about: string,
): Flag<Value | undefined> => ({
  option(long) {
    const option = new Option(`${long} <${long.slice(2)}>`, about).choices(values);
    const parse = option.parseArg;
    // The case does not matter: `pending` means `PENDING`. Commander's own parser rejects a text
    // that is none of the values.
    return option.argParser((text) => {
      const value = values.find((value) => value.toLowerCase() === text.toLowerCase());
      return parse?.<unknown>(value ?? text, undefined);
    });
  },
  read: (raw) => raw as Value | undefined,
});

export const requiredChoice = <const Value extends string>(
  values: readonly Value[],
  about: string,
): Flag<Value> => ({
  option: (long) => choice(values, about).option(long).makeOptionMandatory(),
  read: (raw) => raw as Value,
});

/** A choice that can be repeated. */
export const choices = <const Value extends string>(
  values: readonly Value[],
  about: string,
): Flag<Value[] | undefined> => ({
  option: (long) => {
    const option = choice(values, about).option(long);
    const parse = option.parseArg;
    return option.argParser<Value[]>((value, before = []) => [
      ...new Set([...before, parse?.<unknown>(value, undefined) as Value]),
    ]);
  },
  read: (raw) => raw as Value[] | undefined,
});

/**
 * An option with a number as its value.
 * @param parse throws InvalidArgumentError for a wrong value
 */
const number = (placeholder: string, about: string, parse: (value: string) => number) =>
  flag<number | undefined>(placeholder, about, (option) => option.argParser(parse));

export const integer = (minimum: number, maximum: number, about: string) =>
  number("n", about, (value) => {
    if (/^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum)
      return Number(value);
    throw new InvalidArgumentError(`Use a whole number from ${minimum} to ${maximum}.`);
  });

/** A whole number that may be written in thousands: `10k`. */
export const count = (minimum: number, maximum: number, about: string) =>
  number("n", about, (value) => {
    const [, digits, thousands] = /^(\d{1,9})(k?)$/.exec(value) ?? [];
    // A text in another form becomes NaN, which is not in the range.
    const parsed = Number(digits) * (thousands === "k" ? 1000 : 1);
    if (parsed >= minimum && parsed <= maximum) return parsed;
    throw new InvalidArgumentError(
      `Use a whole number from ${minimum} to ${maximum}, such as 500 or 10k.`,
    );
  });

/** A duration such as `90d` or `30m`, within inclusive limits. The value is in milliseconds. */
export const duration = (
  about: string,
  [minimum, maximum]: readonly [string, string] = ["0s", "999999d"],
) =>
  number("duration", about, (value) => {
    const ms = parseDuration(value);
    if (ms >= parseDuration(minimum) && ms <= parseDuration(maximum)) return ms;
    throw new InvalidArgumentError(
      Number.isNaN(ms)
        ? "Use a number with s, m, h or d, such as 24h."
        : `Use a duration from ${minimum} to ${maximum}.`,
    );
  });

/**
 * An option for a past time in UTC: a duration before now such as `3d`, a time such as `08:30`, or
 * a date. The value is a function from the current time to the past one, in epoch milliseconds.
 */
export const pastTime = (about: string) =>
  flag<((now: number) => number) | undefined>("time", about, (option) =>
    option.argParser((value: string) => {
      // Whether a text can be parsed does not depend on the current time, so any time will do.
      if (Number.isNaN(parsePastTime(value, "UTC", 0)))
        throw new InvalidArgumentError(
          "Use a number with s, m, h or d, such as 3d, or a date such as 2026-12-01.",
        );
      return (now: number) => parsePastTime(value, "UTC", now);
    }),
  );

const SIZE_UNITS = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** Returns the number of bytes; NaN unless the text is a number with a unit. */
function parseSize(text: string): number {
  const [, digits, unit] = /^(\d{1,6})(MB|GB|TB)$/.exec(text) ?? [];
  return Number(digits) * SIZE_UNITS[unit as keyof typeof SIZE_UNITS];
}

/** A size such as `500MB`, within inclusive limits. The value is in bytes. */
export const size = (about: string, [minimum, maximum]: readonly [string, string]) =>
  number("size", about, (value) => {
    const bytes = parseSize(value);
    if (bytes >= parseSize(minimum) && bytes <= parseSize(maximum)) return bytes;
    throw new InvalidArgumentError(
      `Use a size from ${minimum} to ${maximum}, such as 500MB or 2GB.`,
    );
  });

/**
 * Returns a flag that also reads an environment variable. The command line wins over the variable;
 * an empty variable counts as unset.
 */
export const withEnvironment = <Value>(variable: string, flag: Flag<Value>): Flag<Value> => ({
  read: (raw) => flag.read(raw === "" ? undefined : raw),
  option: (long) => {
    const option = flag.option(long).env(variable);
    const parse = option.parseArg;
    return parse
      ? option.argParser((value, before) => (value === "" ? value : parse(value, before)))
      : option;
  },
});

/**
 * Returns the name as an event type.
 * @throws AppError usage, with the closest known event type
 */
export function parseEventType(name: string): EventType {
  if (isEventType(name)) return name;
  throw usageError(
    `There is no event type '${name}'.${didYouMean(name, ALL_EVENT_TYPES)}`,
    "deskbell events types",
  );
}

/** An option for an event type. The help does not list the event types: there are too many. */
export const eventType = (about: string): Flag<EventType | undefined> => ({
  ...text("type", about),
  read: (raw) => (raw === undefined ? undefined : parseEventType(raw as string)),
});

/** Flags that describe a visit, for `availability` and `bookings create`. */
export const visitFlags = {
  service: texts("key", "a service; repeat it for several, in their order"),
  variant: texts("key", "a variant of the service (default: its default variant)"),
  addon: texts("key", "an add-on, such as wash or wash*2; cut:wash if several services have it"),
  staff: texts("key", "a staff member; cut:mia for one of several services (default: anyone)"),
  guests: integer(1, 10_000, "number of people who take part (default 1)"),
};

/** The flag --ignore-notice of the commands that book or move a visit. */
export const ignoreNoticeFlag = toggle(
  "also book a start that is too soon, earlier today, too far ahead, or between the usual times",
);

/** Flags for the guest of a visit, and for the customer reference, which partners see. */
export const guestFlags = {
  name: text(
    "name",
    "name of the guest. This and the next three are stored encrypted, but stay in the shell's history unless they come with --input",
  ),
  email: text("address", "email address of the guest"),
  phone: text("number", "phone number of the guest"),
  notes: text("text", "what the guest wants you to know"),
  customerRef: text(
    "ref",
    "your own reference for the customer, such as a number; partners see it",
  ),
};

/** Returns the values with the guest data in `customer`, as in a request of the API. */
export function groupCustomer<Given extends FlagValues<typeof guestFlags>>({
  name,
  email,
  phone,
  notes,
  ...given
}: Given) {
  const customer = { name, email, phone, notes };
  const isGiven = Object.values(customer).some((value) => value !== undefined);
  return { ...given, customer: isGiven ? customer : undefined };
}

export const DEFAULT_LIMIT = 50;

/** Paging flags of append-only lists. */
export const pageFlags = {
  before: text("id", "only entries older than this ID"),
  limit: integer(1, 10_000, `maximum number of entries (default ${DEFAULT_LIMIT})`),
};
