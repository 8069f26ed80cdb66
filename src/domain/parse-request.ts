import type { z } from "zod";
import { AppError, type ValidationIssue } from "./errors.ts";
import { didYouMean } from "./nearest.ts";
import { quote, show } from "./text.ts";

/**
 * Parses a request: the body of an HTTP request, options of a command or a line of a file. A
 * schema's message is a noun phrase that completes "it must be ...", as in catalog schemas.
 * @throws AppError validation_failed with every issue
 */
export function parseRequest<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  input: unknown,
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) =>
    toIssues(issue, input, Object.keys(schema.shape)),
  );
  const [first] = issues;
  const more = issues.length <= 1 ? "" : ` (and ${issues.length - 1} more)`;
  throw new AppError("validation_failed", `${first?.detail}${more}`, { issues });
}

/** @param knownFields the fields of the request itself, not of objects inside it */
function toIssues(
  issue: z.core.$ZodIssue,
  input: unknown,
  knownFields: string[],
): ValidationIssue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((field) => ({
      code: "unknown_field",
      pointer: pointerTo([...issue.path, field]),
      detail:
        issue.path.length > 0
          ? `Unknown field ${quote(field)}: expected ${issue.message}.`
          : `Unknown field ${quote(field)}.${didYouMean(field, knownFields) || ` Known fields: ${knownFields.join(", ") || "none"}.`}`,
    }));
  const pointer = pointerTo(issue.path);
  const field = nameOf(issue.path);
  if (field === undefined)
    return [
      { code: "invalid_value", pointer, detail: "The request must be an object, such as {}." },
    ];
  const value = issue.path.reduce<unknown>(
    (inner, part) => (inner as Record<PropertyKey, unknown>)?.[part],
    input,
  );
  const detail =
    value === undefined
      ? `'${field}' is missing; it must be ${issue.message}.`
      : `'${field}' must be ${issue.message}${isGuestData(issue.path, value) ? "" : `, not ${show(value)}`}.`;
  return [{ code: value === undefined ? "missing_field" : "invalid_value", pointer, detail }];
}

/**
 * Returns whether a field of a visit has guest data. Error messages must not repeat guest data,
 * because clients log them. A `customerRef` with an @ is probably a mail address.
 */
const isGuestData = ([field]: readonly PropertyKey[], value: unknown): boolean =>
  field === "customer" || (field === "customerRef" && String(value).includes("@"));

/**
 * Returns the name of a field or of an item of a list, such as `segments[0].serviceId` or
 * `segments[0]`. Returns undefined for the request itself.
 */
function nameOf([first, ...rest]: readonly PropertyKey[]): string | undefined {
  if (first === undefined) return undefined;
  return rest.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : `${name}.${String(part)}`),
    String(first),
  );
}

/** Returns an RFC 6901 pointer as a URI fragment. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;
