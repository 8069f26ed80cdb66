import { z } from "zod";
import {
  fieldName,
  itemPath,
  type ValidationIssue,
  type Path,
  quote,
  show,
} from "../validation-issue.ts";
import { type AuthoredFile, catalogFileSchema, MAX_SECTION } from "./schema.ts";
import type { Unchanged } from "../change/unchanged-items.ts";
import { isTimezone } from "../../business-time.ts";
import { knownCurrencies } from "../../money.ts";
import { didYouMean } from "../../nearest.ts";

type Issue = z.core.$ZodIssue;

export type SchemaResult = {
  mistakes: ValidationIssue[];
  /** null when so much is wrong that the rest cannot be judged. */
  files: AuthoredFile[] | null;
  /** Items of sections, as joined paths, that cannot be read further. */
  unreadable: ReadonlySet<string>;
};

const filesSchema = z.array(catalogFileSchema);

/**
 * Holds the files against the schema, but for the items that are known to be sound. What is wrong is struck out of `contents` where it can be, so that the rest of the
 * same object is judged too and its author hears of every mistake at once.
 */
export function validateSchema(contents: unknown[], unchanged: Unchanged): SchemaResult {
  if (contents.every((content) => isSound(content, unchanged)))
    return { mistakes: [], files: contents as AuthoredFile[], unreadable: new Set() };

  const checked = filesSchema.safeParse(contents);
  if (checked.success) throw new Error("a file is sound as a whole, but not in its parts");

  const issues = checked.error.issues.map(narrowUnion);
  const mistakes = issues.flat().flatMap((issue) => describeIssue(issue, contents));
  for (const issue of issues.flat()) strikeOut(contents, issue);

  const unreadable = new Set<string>();
  for (const issue of filesSchema.safeParse(contents).error?.issues ?? []) {
    const item = itemPath(issue.path as Path);
    if (item === undefined) return { mistakes, files: null, unreadable };
    unreadable.add(item.join("\0"));
  }
  return { mistakes, files: contents as AuthoredFile[], unreadable };
}

/** Item by item: what is parsed is a copy, and that of a whole file would lie beside it in memory. */
function isSound(content: unknown, unchanged: Unchanged): boolean {
  const lists: { item: z.ZodType; values: unknown[] }[] = [];
  const frame = withoutItems(catalogFileSchema, content, lists);
  return (
    catalogFileSchema.safeParse(frame).success &&
    lists.every(({ item, values }) =>
      values.every((value) => unchanged.has(value) || item.safeParse(value).success),
    )
  );
}

/** The content with its lists of objects empty. They are put into `lists`, each with the schema of its items. */
function withoutItems(
  schema: z.ZodObject,
  content: unknown,
  lists: { item: z.ZodType; values: unknown[] }[],
): unknown {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const section = schema.shape[name];
      const inner = section instanceof z.ZodOptional ? section.unwrap() : section;
      if (inner instanceof z.ZodObject) return [name, withoutItems(inner, value, lists)];
      const item = inner instanceof z.ZodArray ? inner.element : undefined;
      const isSection = item instanceof z.ZodObject && "key" in item.shape;
      if (!isSection || !Array.isArray(value) || value.length > MAX_SECTION) return [name, value];
      lists.push({ item, values: value });
      return [name, []];
    }),
  );
}

/** Of a value that may be written in two forms, only the mistakes in the form that its author chose. */
function narrowUnion(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const chosen = issue.errors.filter(
    (errors) => !errors.some((one) => one.code === "invalid_type" && !one.path.length),
  );
  if (chosen.length !== 1) return [issue];
  return (chosen[0] ?? []).map((one) =>
    Object.assign({}, one, { path: [...issue.path, ...one.path] }),
  );
}

function describeIssue(issue: Issue, contents: unknown[]): ValidationIssue[] {
  const at = issue.path as Path;
  if (issue.code === "unrecognized_keys") {
    const known = fieldsAt(filesSchema, at);
    return issue.keys.map((field) => ({
      code: "unknown_field",
      at: [...at, field],
      detail: `Unknown field ${quote(field)}.${meant(field, known)}`,
    }));
  }
  const value = at.reduce<unknown>(
    (inner, part) => (inner as Record<string | number, unknown> | undefined)?.[part],
    contents,
  );
  const field = fieldName(at);
  if (issue.code === "invalid_key") {
    const noun = issue.issues[0]?.message ?? issue.message;
    return [
      {
        code: "invalid_value",
        at,
        detail: `A name in '${fieldName(at.slice(0, -1))}' must be ${noun}, not ${quote(field)}.`,
      },
    ];
  }
  if (at.length === 1)
    return [
      {
        code: "invalid_value",
        at,
        detail: `A catalog file must be ${issue.message}, not ${show(value)}.`,
      },
    ];
  if (value === undefined && typeof at.at(-1) === "string")
    return [
      { code: "missing_field", at, detail: `'${field}' is missing; it must be ${issue.message}.` },
    ];
  return [
    {
      code: "invalid_value",
      at,
      detail: `${must(field, issue, value)}${hint(field, issue, value)}`,
    },
  ];
}

function meant(field: string, known: string[]): string {
  // In braces a comma ends the field before it: { price: 4,50 }.
  if (/^\d+$/.test(field)) return " If it is the end of an amount, write that with a point: 4.50.";
  return didYouMean(field, known) || ` Known here: ${known.join(", ")}.`;
}

function must(field: string, issue: Issue, value: unknown): string {
  const subject = typeof issue.path.at(-1) === "number" ? `Each of '${field}'` : `'${field}'`;
  return `${subject} must be ${issue.message}, not ${show(value)}.`;
}

function hint(field: string, issue: Issue, value: unknown): string {
  if (
    issue.code === "invalid_type" &&
    issue.expected === "string" &&
    (typeof value === "number" || typeof value === "boolean")
  )
    return ` Put it in quotes: ${field}: "${value}".`;
  if (typeof value !== "string") return "";
  if (issue.code === "invalid_value") return didYouMean(value, issue.values.map(String));
  if (field === "timezone" && !isTimezone(value))
    return didYouMean(value, Intl.supportedValuesOf("timeZone"));
  if (field === "timezone")
    return ` Did you mean '${new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone}'?`;
  if (field === "currency") return didYouMean(value, knownCurrencies());
  return "";
}

/** Names of the fields that the schema has at the end of a path. */
function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  if (schema instanceof z.ZodOptional) return fieldsAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => fieldsAt(option, path));
  const [part, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (part === undefined) return Object.keys(schema.shape);
    const inner = schema.shape[part];
    return inner === undefined ? [] : fieldsAt(inner, rest);
  }
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return fieldsAt(schema.valueType, rest);
  return [];
}

/** Stands in for a wrong value that an object cannot be read without; it never leaves a reading that has mistakes. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  name: "?",
  durationMin: 1,
  maxSeats: 1000,
  timezone: "UTC",
  // The currency with the most decimals: whether a price has too many cannot be told.
  currency: "CLF",
};

const isInItem = (path: Path): boolean =>
  path.length > (itemPath(path)?.length ?? Number.POSITIVE_INFINITY);

function strikeOut(contents: unknown[], issue: Issue): void {
  const inner = issue.code === "unrecognized_keys" ? issue.path : issue.path.slice(0, -1);
  const fields = issue.code === "unrecognized_keys" ? issue.keys : issue.path.slice(-1);
  const parent = inner.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    contents,
  );
  // Taking an element from a list would shift the places of those after it: a list of words goes whole.
  if (
    Array.isArray(parent) &&
    isInItem(inner as Path) &&
    !(issue.code === "invalid_type" && issue.expected === "object")
  )
    return strikeOut(contents, { ...issue, code: "custom", path: inner } as Issue);
  if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return;
  for (const field of fields) {
    if (issue.code !== "unrecognized_keys" && field in STAND_INS)
      Reflect.set(parent, field, STAND_INS[String(field)]);
    else Reflect.deleteProperty(parent, field);
  }
}
