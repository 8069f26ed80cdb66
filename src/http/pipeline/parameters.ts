import { z } from "zod";
import { AppError, type ErrorCode, type ValidationIssue } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { localToInstant } from "../../domain/business-time.ts";

/**
 * The query parameters of a route: one schema each, so that the same table reads requests and describes them. In a
 * schema's `meta`, `asSent` is what a client sees of one that is read from text into something else, `refusedAs` the code of a
 * refusal besides the general one, and `example` what a line to try asks with.
 */
export type Parameters = Record<string, z.ZodType>;
export type ParametersOf<P extends Parameters> = {
  [Name in keyof P]: z.output<P[Name]> | undefined;
};

// Put there by campaigns and advertisers, not by who wrote the client.
const IGNORED = /^(_|utm_.*|gclid|fbclid)$/;

const LOCAL = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant as it was written; a wall-clock time waits for the zone of the business. */
export type InstantParameter = { text: string; resolve: (timezone: string) => number };

export const flag = z
  .enum(["true", "false", "1", "0"], { error: "must be true, false, 1 or 0." })
  .transform((text) => text === "true" || text === "1")
  .meta({ asSent: { type: "boolean" } });

export const text = z
  .string()
  .min(1, { error: "must not be empty." })
  .max(200, { error: "is too long." });

/** Separated by commas; may also be given several times. An empty one would find nothing, and is hardly meant to. */
export const list = z
  .string()
  .transform((value) => value.split(",").filter(Boolean))
  .refine(({ length }) => length > 0, { error: "must not be empty." })
  .meta({ isList: true, asSent: { type: "array", items: { type: "string" }, minItems: 1 } });

/** A whole number, `unit` included in what is said of it. */
export const integer = (minimum: number, maximum: number, unit = "") => {
  const error = `must be a whole number ${unit}from ${minimum} to ${maximum}.`;
  return z
    .string()
    .regex(/^\d{1,6}$/, { error })
    .transform(Number)
    .refine((n) => n >= minimum && n <= maximum, { error })
    .meta({ asSent: { type: "integer", minimum, maximum } });
};

export const pageSize = integer(1, 500).describe("At most so many; without it, everything");

export const cursor = text.meta({
  refusedAs: "invalid_cursor",
  description: "`page.nextCursor` of the page before",
});

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  z.enum(names, {
    error: ({ input }) => {
      const near = typeof input === "string" ? didYouMean(input, names) : "";
      return `has no such value.${near || ` Known: ${names.join(", ")}.`}`;
    },
  });

export const locale = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, {
    error: "must be a language tag such as de or pt-BR.",
  })
  .describe(
    "The language of texts, such as de or pt-BR; without it, or without such texts, the business's own",
  );

export const instant = z
  .string()
  // A '+' that was not encoded arrives as a space.
  .transform((written) => written.replace(/ (\d{2}:\d{2})$/, "+$1"))
  .refine((written) => resolvers(written) !== undefined, {
    error:
      "must be a date and time such as 2026-12-31T18:00:00+01:00, or one without offset in the business's time.",
    params: { code: "invalid_date" },
  })
  .transform((written): InstantParameter => ({
    text: written,
    resolve: resolvers(written) ?? (() => Number.NaN),
  }))
  .meta({
    asSent: {
      type: "string",
      description:
        "RFC 3339; without an offset on the business's clock, and a date alone is its midnight",
      examples: ["2026-12-31T18:00:00+01:00", "2026-12-31T18:00", "2026-12-31"],
    },
    refusedAs: "invalid_date",
  });

function resolvers(written: string): InstantParameter["resolve"] | undefined {
  try {
    if (RFC_3339.test(written)) {
      const { epochMilliseconds } = Temporal.Instant.from(written);
      return () => epochMilliseconds;
    }
    if (!LOCAL.test(written)) return undefined;
    Temporal.PlainDateTime.from(written);
  } catch {
    return undefined;
  }
  return (timezone) => localToInstant(written, timezone);
}

/**
 * Reads a query string.
 * @throws AppError with every mistake in it
 */
export function parseParameters<P extends Parameters>(known: P, query: string): ParametersOf<P> {
  const { values, mistakes } = validateParameters(known, query);
  if (mistakes.length > 0) throw parametersError(mistakes);
  return values;
}

/** For who has more to check before it refuses: the values are those without a mistake. */
export function validateParameters<P extends Parameters>(
  known: P,
  query: string,
): { values: ParametersOf<P>; mistakes: ValidationIssue[] } {
  const names = Object.keys(known);
  const given = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query))
    given.set(name, [...(given.get(name) ?? []), value]);

  const mistakes: ValidationIssue[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, texts] of given) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema === undefined) {
      if (IGNORED.test(name)) continue;
      const detail = `There is no parameter '${name}' here.${didYouMean(name, names)}`;
      mistakes.push({ parameter: name, code: "unknown_parameter", detail });
    } else if (texts.length > 1 && !schema.meta()?.["isList"]) {
      mistakes.push({
        parameter: name,
        code: "given_twice",
        detail: `'${name}' is given more than once.`,
      });
    } else {
      const result = schema.safeParse(texts.join(","));
      if (result.success) values[name] = result.data;
      else mistakes.push(...result.error.issues.map((issue) => toMistake(name, issue)));
    }
  }
  return { values: values as ParametersOf<P>, mistakes };
}

const toMistake = (name: string, issue: z.core.$ZodIssue): ValidationIssue => ({
  parameter: name,
  code:
    issue.code === "custom" && typeof issue.params?.["code"] === "string"
      ? issue.params["code"]
      : "invalid_value",
  detail: `'${name}' ${issue.message}`,
});

const OWN_CODES = new Set([
  "unknown_parameter",
  "missing_parameter",
  "invalid_date",
  "invalid_cursor",
  "range_too_large",
]);

/** One code when all mistakes share it, else the general one. */
export function parametersError(mistakes: ValidationIssue[]): AppError {
  const codes = new Set(mistakes.map(({ code }) => code));
  const [only = ""] = codes;
  const code = codes.size === 1 && OWN_CODES.has(only) ? (only as ErrorCode) : "invalid_parameter";
  return new AppError(code, mistakes.map(({ detail }) => detail).join(" "), { issues: mistakes });
}
