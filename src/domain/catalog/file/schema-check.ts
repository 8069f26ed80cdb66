import { z } from "zod";
import { type CatalogIssue, fieldName, itemPath, type Path } from "../catalog-issue.ts";
import { MAX_ISSUES } from "../../errors.ts";
import { quote, safe, show } from "../../text.ts";
import { type AuthoredFile, catalogFileSchema, MAX_SECTION } from "./schema.ts";
import type { Uncertain } from "../references.ts";
import type { Unchanged } from "../change/unchanged-items.ts";
import { findUncertain, repairContainer, repairValue, valueAt } from "./repair.ts";
import { isTimezone } from "../../local-time.ts";
import { CURRENCY_CODES } from "../../money.ts";
import { didYouMean } from "../../nearest.ts";

type ZodIssue = z.core.$ZodIssue;

type SchemaResult = {
  issues: CatalogIssue[];
  /** null if the files are too broken to be read. */
  files: AuthoredFile[] | null;
  /** Paths of the items to skip. `\0` joins the parts of a path. */
  unreadable: ReadonlySet<string>;
  /**
   * The objects and kinds of objects that invalid parts of the files may define. References to them
   * are accepted.
   */
  uncertain: Uncertain;
};

const filesSchema = z.array(catalogFileSchema);

/**
 * Returns where files differ from their schema, except in unchanged items. Deletes invalid values
 * from `contents` where possible, so that the same run can report the other issues of the object.
 */
export function validateSchema(contents: unknown[], unchanged: Unchanged): SchemaResult {
  const uncertain: Uncertain = { refs: new Set(), kinds: new Set() };
  const found = findIssues(contents, unchanged);
  if (found.length === 0)
    return { issues: [], files: contents as AuthoredFile[], unreadable: new Set(), uncertain };
  const issues = describeIssues(found, contents);
  if (issues.length > MAX_ISSUES) return { issues, files: null, unreadable: new Set(), uncertain };
  const result = { issues, uncertain: findUncertain(contents, found) };

  for (const issue of found) repairValue(contents, issue);
  let remaining = findIssues(contents, unchanged);
  // Each round repairs the object or list around each value that is still invalid after the round
  // before. A path therefore needs at most as many rounds as it has parts. The limit ends the loop
  // even if a repair changes nothing.
  for (let rounds = longestPath(remaining); rounds > 0; rounds--) {
    // `filter` repairs all containers; `some` would stop at the first.
    if (remaining.filter((issue) => repairContainer(contents, issue)).length === 0) break;
    remaining = findIssues(contents, unchanged);
  }
  const itemPaths = remaining.map((issue) => itemPath(issue.path as Path)?.join("\0"));
  const unreadable = new Set(itemPaths.filter((path) => path !== undefined));
  // If an issue is outside of all items, no item can be skipped to avoid it, and the files are
  // unreadable.
  const isReadable = !itemPaths.includes(undefined);
  return { ...result, files: isReadable ? (contents as AuthoredFile[]) : null, unreadable };
}

const longestPath = (issues: readonly ZodIssue[]): number =>
  Math.max(0, ...issues.map(({ path }) => path.length));

/**
 * Returns where files differ from their schema. Items are validated one by one, because zod copies
 * its input, and a copy of a whole file is large. The search stops above `MAX_ISSUES` issues, which
 * tells the caller that more issues exist than an error lists.
 */
function findIssues(contents: readonly unknown[], unchanged: Unchanged): ZodIssue[] {
  const found: ZodIssue[] = [];
  for (const [file, content] of contents.entries()) {
    const lists: Items[] = [];
    const frame = withoutItems(catalogFileSchema, content, [file], lists);
    found.push(...issuesOf(catalogFileSchema, frame, [file]));
    for (const { schema, values, path } of lists)
      for (const [index, value] of values.entries()) {
        if (found.length > MAX_ISSUES) return found;
        if (!unchanged.has(value)) found.push(...issuesOf(schema, value, [...path, index]));
      }
  }
  return found;
}

/**
 * Returns the first issues of a value. The path of each issue begins with the path of the value.
 */
function issuesOf(schema: z.ZodType, value: unknown, path: Path): ZodIssue[] {
  return safeParse(schema, value)
    .slice(0, MAX_ISSUES + 1)
    .map((issue) => Object.assign({}, issue, { path: [...path, ...issue.path] }))
    .flatMap(narrowUnion);
}

function safeParse(schema: z.ZodType, value: unknown): ZodIssue[] {
  try {
    return schema.safeParse(value).error?.issues ?? [];
  } catch (error) {
    // Zod passes the issues of a list as arguments of one call, which throws a RangeError from
    // about 100,000 arguments.
    if (!(error instanceof RangeError)) throw error;
    return [{ code: "custom", path: [], message: "without so many errors", input: value }];
  }
}

/** The objects of a section, with the schema that each of them must fit. */
type Items = { schema: z.ZodType; values: readonly unknown[]; path: Path };

/** Returns the content of a file with its sections emptied, and adds their objects to `lists`. */
function withoutItems(schema: z.ZodObject, content: unknown, path: Path, lists: Items[]): unknown {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const section = schema.shape[name];
      const inner = section instanceof z.ZodOptional ? section.unwrap() : section;
      const valuePath = [...path, name];
      if (inner instanceof z.ZodObject) return [name, withoutItems(inner, value, valuePath, lists)];
      const item = inner instanceof z.ZodArray ? inner.element : undefined;
      const isSection = item instanceof z.ZodObject && "key" in item.shape;
      // A list that is too long stays in the content, whose schema refuses it.
      if (!isSection || !Array.isArray(value) || value.length > MAX_SECTION) return [name, value];
      lists.push({ schema: item, values: value, path: valuePath });
      return [name, []];
    }),
  );
}

const isEqualPath = (a: Path | undefined, b: Path): boolean => a?.join("\0") === b.join("\0");

function describeIssues(found: readonly ZodIssue[], contents: unknown[]): CatalogIssue[] {
  const issues: CatalogIssue[] = [];
  for (const issue of found) {
    if (issues.length > MAX_ISSUES) break;
    // Zod reports a huge number twice: as too large for the field, and for a safe integer.
    const isRepeated = ({ detail, path }: CatalogIssue): boolean =>
      issues.at(-1)?.detail === detail && isEqualPath(issues.at(-1)?.path, path);
    issues.push(...describeIssue(issue, contents).filter((described) => !isRepeated(described)));
  }
  return issues;
}

/**
 * If a value may fit one of several schemas, returns the issues of the schema that the author
 * meant. A schema that refuses the type of the whole value was not meant.
 */
function narrowUnion(issue: ZodIssue): ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const meant = issue.errors.filter(
    (errors) => !errors.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  if (meant.length !== 1) return [issue];
  return (meant[0] ?? []).map((inner) =>
    Object.assign({}, inner, { path: [...issue.path, ...inner.path] }),
  );
}

function describeIssue(issue: ZodIssue, contents: unknown[]): CatalogIssue[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") {
    const known = fieldsAt(filesSchema, path);
    return issue.keys.slice(0, MAX_ISSUES + 1).map((field) => ({
      code: "unknown_field",
      path: [...path, field],
      detail: `Unknown field ${quote(field)}.${unknownFieldHint(field, known)}`,
    }));
  }
  const value = valueAt(contents, path);
  const field = fieldName(path);
  const isMissing = value === undefined && typeof path.at(-1) === "string";
  const describe = (source?: string): string => {
    if (issue.code === "invalid_key") {
      const noun = issue.issues[0]?.message ?? issue.message;
      return `A name in '${fieldName(path.slice(0, -1))}' must be ${noun}, not ${quote(field)}.`;
    }
    if (path.length === 1) return `A catalog file must be ${issue.message}, not ${show(value)}.`;
    if (isMissing) return `'${field}' is missing; it must be ${issue.message}.`;
    const subject = typeof path.at(-1) === "number" ? `Each of '${field}'` : `'${field}'`;
    if (isUnquotedText(issue, value)) {
      const written = source ?? String(value);
      return `${subject} must be ${issue.message}, not ${safe(written)}.${quotesHint(issue, written)}`;
    }
    return `${subject} must be ${issue.message}, not ${show(value)}.${valueHint(field, issue, value)}`;
  };
  const code = isMissing && issue.code !== "invalid_key" ? "missing_field" : "invalid_value";
  const asWritten = isUnquotedText(issue, value) ? { describe } : {};
  return [{ code, path, detail: describe(), ...asWritten }];
}

function unknownFieldHint(field: string, known: string[]): string {
  // YAML starts a new field at the comma of { price: 4,50 }, so this file has an unknown field
  // `50`.
  if (/^\d+$/.test(field)) return " To write an amount, use a decimal point: 4.50.";
  return didYouMean(field, known) || ` Known fields: ${known.join(", ")}.`;
}

/** Returns whether YAML has read a number or boolean where the author meant text. */
const isUnquotedText = (issue: ZodIssue, value: unknown): boolean =>
  issue.code === "invalid_type" &&
  issue.expected === "string" &&
  (typeof value === "number" || typeof value === "boolean");

/** @param written the text of the value in the file: the number 1067 may be written as 01067 */
function quotesHint({ path }: ZodIssue, written: string): string {
  const fits = schemasAt(filesSchema, path as Path).some(
    (schema) => schema.safeParse(written).success,
  );
  const isElement = typeof path.at(-1) === "number";
  const field = isElement ? "" : `${fieldName(path as Path)}: `;
  return fits ? ` Put it in quotes: ${field}"${written}".` : "";
}

function valueHint(field: string, issue: ZodIssue, value: unknown): string {
  if (typeof value !== "string") return "";
  if (issue.code === "invalid_value") {
    const allowed = issue.values.map(String);
    return allowed.includes(value)
      ? ` Write it without quotes: ${field}: ${value}.`
      : didYouMean(value, allowed);
  }
  if (field === "timezone" && !isTimezone(value))
    return didYouMean(value, Intl.supportedValuesOf("timeZone"));
  // The zone exists, but its name is written in another case.
  if (field === "timezone")
    return ` Did you mean '${new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone}'?`;
  if (field === "currency") return didYouMean(value, CURRENCY_CODES);
  return "";
}

/** Returns the names of the fields that the schema has at a path; empty if it has none. */
const fieldsAt = (schema: z.core.$ZodType, path: Path): string[] =>
  schemasAt(schema, path).flatMap((found) =>
    found instanceof z.ZodObject ? Object.keys(found.shape) : [],
  );

/** Returns the schemas for the value at a path, which must fit one of them. */
function schemasAt(schema: z.core.$ZodType, path: Path): z.ZodType[] {
  if (schema instanceof z.ZodOptional) return schemasAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => schemasAt(option, path));
  const [part, ...innerPath] = path;
  if (part === undefined) return [schema as z.ZodType];
  if (schema instanceof z.ZodObject) {
    const inner = schema.shape[part];
    return inner === undefined ? [] : schemasAt(inner, innerPath);
  }
  if (schema instanceof z.ZodArray) return schemasAt(schema.element, innerPath);
  if (schema instanceof z.ZodRecord) return schemasAt(schema.valueType, innerPath);
  return [];
}
