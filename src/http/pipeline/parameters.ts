import { z } from "zod";
import { AppError, type ErrorCode, type ValidationIssue } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/nearest.ts";
import {
  isInstant,
  isLocalDate,
  parseInstant,
  startOfDay,
  YEARS,
} from "../../domain/local-time.ts";

/**
 * The query parameters of a route. Their schemas parse requests and generate the documentation.
 * `meta` can have the JSON Schema of the text that clients send (`inputSchema`), whether the
 * parameter may be repeated (`isList`), a problem code besides invalid_parameter (`problemCode`),
 * and a value for examples (`example`).
 */
export type Parameters = Record<string, z.ZodType>;
export type ParametersOf<P extends Parameters> = {
  [Name in keyof P]: z.output<P[Name]> | undefined;
};

// Advertising campaigns add these parameters to URLs, and scripts add `_` to get past caches. They
// are ignored, because the client has made no mistake.
export const IGNORED_PARAMETER = /^(_|utm_.*|gclid|fbclid)$/;

/** An instant as text. `resolve` needs the time zone only if the text has no offset. */
export type InstantParameter = { text: string; resolve: (timezone: string) => number };

export const flag = () =>
  z
    .enum(["true", "false", "1", "0"], { error: "must be true, false, 1 or 0." })
    .transform((text) => text === "true" || text === "1")
    .meta({ inputSchema: { type: "boolean" } });

export const text = () =>
  z
    .string()
    .min(1, { error: "must not be empty." })
    .max(200, { error: "must have at most 200 characters." });

/**
 * A list: values with commas between them, or a repeated parameter, whose values are joined with
 * commas before they are parsed. An empty list is an error, because it would match nothing.
 */
export const list = () =>
  z
    .string()
    .transform((value) => value.split(",").filter(Boolean))
    .refine(({ length }) => length > 0, { error: "must not be empty." })
    .meta({ isList: true, inputSchema: { type: "array", items: { type: "string" }, minItems: 1 } });

/**
 * Maximum number of IDs in a request. The field `refetch` of a `catalog.changed` event names at
 * most as many IDs.
 */
const MAX_IDS = 500;

/** A list of IDs, sorted and without duplicates, so that equal sets share a cached response. */
export const ids = () =>
  list()
    .transform((names) => [...new Set(names)].sort())
    .refine(({ length }) => length <= MAX_IDS, { error: `must have at most ${MAX_IDS} IDs.` })
    .meta({
      isList: true,
      inputSchema: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        maxItems: MAX_IDS,
      },
    });

/**
 * A whole number.
 * @param unit for the error message, such as "of seconds "
 */
export const integer = (minimum: number, maximum: number, unit = "") => {
  const error = `must be a whole number ${unit}from ${minimum} to ${maximum}.`;
  return z
    .string()
    .regex(/^\d{1,6}$/, { error })
    .transform(Number)
    .refine((n) => n >= minimum && n <= maximum, { error })
    .meta({ inputSchema: { type: "integer", minimum, maximum } });
};

export const pageSize = () =>
  integer(1, 500).describe("Maximum number of results; omit it to get all");

export const cursor = () =>
  text().meta({
    problemCode: "invalid_cursor",
    description: "`page.nextCursor` of the previous page",
  });

/** Maximum number of values that an error message lists. */
const MAX_NAMED_VALUES = 12;

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  z.enum(names, {
    error: ({ input }) => {
      const hint = typeof input === "string" ? didYouMean(input, names) : "";
      if (hint) return `has an unknown value.${hint}`;
      return names.length > MAX_NAMED_VALUES
        ? `has an unknown value; ${names[0]} is one of the ${names.length} that /openapi.json lists.`
        : `must be one of ${names.join(", ")}.`;
    },
  });

export const locale = () =>
  z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, {
      error: "must be a language tag such as de or pt-BR.",
    })
    .describe(
      "Language of the texts, such as de or pt-BR; the business's own language by default and for texts without a translation",
    );

const ZONE_OF_BUSINESS = "the business's time zone";
const describeInstant = (zone: string) =>
  `a date and time ${YEARS} such as 2026-12-31T18:00:00+01:00, or one without an offset in ${zone}`;

/**
 * @param zone the time zone of a time without an offset
 * @param error what follows a parameter's name ("must be …"), or a noun for a field of a body
 */
export const instant = (zone = ZONE_OF_BUSINESS, error = `must be ${describeInstant(zone)}.`) =>
  z
    .string({ error })
    // A `+` that the client has not encoded arrives as a space.
    .transform((text) => text.replace(/ (\d{2}:\d{2})$/, "+$1"))
    .refine((text) => resolverOf(text) !== undefined, {
      error,
      params: { code: "invalid_date" },
    })
    // The default of `resolve` is never used, because `refine` has refused every text without a
    // resolver.
    .transform((text): InstantParameter => ({
      text,
      resolve: resolverOf(text) ?? (() => Number.NaN),
    }))
    .meta({
      inputSchema: {
        type: "string",
        description: `RFC 3339 date and time; without an offset, it is in ${zone}; a date alone means midnight`,
        examples: ["2026-12-31T18:00:00+01:00", "2026-12-31T18:00", "2026-12-31"],
      },
      problemCode: "invalid_date",
    });

export const bodyInstant = () => instant(ZONE_OF_BUSINESS, describeInstant(ZONE_OF_BUSINESS));

function resolverOf(text: string): InstantParameter["resolve"] | undefined {
  if (isLocalDate(text)) return (timezone) => startOfDay(text, timezone);
  return isInstant(text) ? (timezone) => parseInstant(text, timezone) : undefined;
}

/**
 * Returns the values in a query string.
 * @throws AppError that lists every issue
 */
export function parseParameters<P extends Parameters>(schemas: P, query: string): ParametersOf<P> {
  const { values, issues } = validateParameters(schemas, query);
  if (issues.length > 0) throw parametersError(issues);
  return values;
}

/** Asserts that a query has no parameters, besides ignored ones. @throws AppError */
export const assertNoParameters = (query: string): void => void parseParameters({}, query);

/**
 * Maximum number of parameter names, which limits the work for unknown parameters. No route has
 * half as many.
 */
const MAX_NAMES = 50;
const TOO_MANY_NAMES = `The query has too many parameters: at most ${MAX_NAMES} different names are allowed.`;

/**
 * Returns the valid values and the issues, for callers that validate more before they throw.
 * @throws AppError if the query has more than 50 parameter names
 */
export function validateParameters<P extends Parameters>(
  schemas: P,
  query: string,
): { values: ParametersOf<P>; issues: ValidationIssue[] } {
  const names = Object.keys(schemas);
  const textsByName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const texts = textsByName.get(name);
    if (texts) texts.push(value);
    else textsByName.set(name, [value]);
    if (textsByName.size > MAX_NAMES)
      throw parametersError([{ code: "too_many_parameters", detail: TOO_MANY_NAMES }]);
  }

  const issues: ValidationIssue[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, texts] of textsByName) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (schema === undefined) {
      if (IGNORED_PARAMETER.test(name)) continue;
      const detail = `Unknown parameter '${name}'.${didYouMean(name, names)}`;
      issues.push({ parameter: name, code: "unknown_parameter", detail });
    } else if (texts.length > 1 && !schema.meta()?.["isList"]) {
      const detail = `'${name}' must not be given more than once.`;
      issues.push({ parameter: name, code: "given_twice", detail });
    } else {
      const result = schema.safeParse(texts.join(","));
      if (result.success) values[name] = result.data;
      else issues.push(...result.error.issues.map((issue) => toIssue(name, issue)));
    }
  }
  return { values: values as ParametersOf<P>, issues };
}

const toIssue = (name: string, issue: z.core.$ZodIssue): ValidationIssue => ({
  parameter: name,
  code:
    issue.code === "custom" && typeof issue.params?.["code"] === "string"
      ? issue.params["code"]
      : "invalid_value",
  detail: `'${name}' ${issue.message}`,
});

/** Codes of issues that are also codes of problems. */
const SHARED_CODES = new Set([
  "unknown_parameter",
  "missing_parameter",
  "invalid_date",
  "invalid_cursor",
  "range_too_large",
]);

/** Maximum number of issues in the message; `errors` lists the others, too. */
const MAX_DETAILS = 2;

/**
 * Returns an error with the code that all issues share, if a problem response can have this code;
 * otherwise with the code invalid_parameter.
 */
export function parametersError(issues: ValidationIssue[]): AppError {
  const codes = new Set(issues.map(({ code }) => code));
  const [firstCode = ""] = codes;
  const isShared = codes.size === 1 && SHARED_CODES.has(firstCode);
  const code = isShared ? (firstCode as ErrorCode) : "invalid_parameter";
  const details = issues.slice(0, MAX_DETAILS).map(({ detail }) => detail);
  if (issues.length > MAX_DETAILS) details.push(`${issues.length - MAX_DETAILS} more in 'errors'.`);
  return new AppError(code, details.join(" "), { issues });
}
