import type { z } from "zod";
import { quote, show } from "../safe-text.ts";
import { AppError, type ValidationIssue } from "../errors.ts";
import { didYouMean } from "../nearest.ts";

// Reads requests from command-line options or lines of a file. As in catalog schemas, a schema's
// message is a noun phrase that completes "it must be ...".

/** @throws AppError validation_failed with every issue */
export function parseRequest<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  input: unknown,
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) =>
    toIssues(issue, input, Object.keys(schema.shape)),
  );
  const [first, ...others] = issues;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new AppError("validation_failed", `${first?.detail}${more}`, { issues });
}

function toIssues(issue: z.core.$ZodIssue, input: unknown, known: string[]): ValidationIssue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((field) => ({
      code: "unknown_field",
      pointer: pointerTo([field]),
      detail: `Unknown field ${quote(field)}.${didYouMean(field, known) || ` Known fields: ${known.join(", ") || "none"}.`}`,
    }));
  const pointer = pointerTo(issue.path);
  const [field] = issue.path;
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
      ? `'${String(field)}' is missing; it must be ${issue.message}.`
      : `'${String(field)}' must be ${issue.message}, not ${show(value)}.`;
  return [{ code: value === undefined ? "missing_field" : "invalid_value", pointer, detail }];
}

/** An RFC 6901 pointer as a URI fragment. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;
