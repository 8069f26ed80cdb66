import { InvalidArgumentError, Option } from "commander";

/** `read` returns the typed value of the option. */
export type Flag<Value> = { option: (long: string) => Option; read: (raw: unknown) => Value };
export type Flags = Record<string, Flag<unknown>>;
export type FlagValues<F extends Flags> = { [Name in keyof F]: ReturnType<F[Name]["read"]> };

/** `limitMinute` -> `--limit-minute` */
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

/** Repeated for each value: a variadic option would consume the arguments after it. */
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
  option: (long) => new Option(`${long} <${long.slice(2)}>`, about).choices(values),
  read: (raw) => raw as Value | undefined,
});

/** @param parse throws InvalidArgumentError */
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
    const count = Number(digits) * (thousands === "k" ? 1000 : 1);
    if (count >= minimum && count <= maximum) return count;
    throw new InvalidArgumentError(
      `Use a whole number from ${minimum} to ${maximum}, such as 500 or 10k.`,
    );
  });

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns milliseconds; NaN for anything but a number with a unit. */
function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return Number(digits) * UNITS[unit as keyof typeof UNITS];
}

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

/** Reads an environment variable too. The flag wins; an empty variable counts as unset. */
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
