import type { AuthoredFile } from "./file/schema.ts";
import { DECIMAL_FIELDS } from "./file/fields.ts";

type Value =
  | string
  | number
  | boolean
  | readonly Value[]
  | { readonly [field: string]: Value | undefined };

const MAX_LINE_LENGTH = 110;

/** The comments above sections, for people who edit the file. */
const COMMENTS: Record<string, string> = {
  business: "Times below are local to `timezone`, prices are in `currency`.",
  hours: "Opening hours. Staff without their own hours work these.",
  serviceCategories: "Objects are referred to by `key` and displayed in this order.",
  menu: "Contains categories, modifierGroups and items.",
};

/** Returns a catalog file as YAML: short objects on one line, prices with their decimals. */
export function writeYaml(file: AuthoredFile, heading: string): string {
  const sections = Object.entries(file as Record<string, Value | undefined>).flatMap(
    ([name, value]) =>
      value === undefined
        ? []
        : [`${name in COMMENTS ? `# ${COMMENTS[name]}\n` : ""}${blockField(name, value, "")}`],
  );
  return `${heading
    .split("\n")
    .map((line) => `# ${line}\n`)
    .join("")}${sections.join("\n")}`;
}

/** Returns `name: value` with its nested lines, ending in a line break. */
function blockField(name: string, value: Value, indent: string): string {
  const label = `${indent}${quoted(name)}:`;
  // A section that is not empty always has lines of its own.
  const isSection = indent === "" && isFilled(value);
  const line = isSection ? null : inOneLine(value, name, MAX_LINE_LENGTH - label.length);
  if (line !== null) return `${label} ${line}\n`;
  if (typeof value === "string") return `${label} ${multiline(value, `${indent}  `)}\n`;
  return `${label}\n${block(value as Structure, name, `${indent}  `)}`;
}

/** Returns whether a list has objects with keys, each of which gets lines of its own. */
const isListOfObjects = (value: Value): boolean =>
  isList(value) && value.some((item) => typeof item === "object" && "key" in item);

const isFilled = (value: Value): boolean =>
  typeof value === "object" && Object.keys(value).length > 0;

type Structure = Exclude<Value, string | number | boolean>;

const block = (value: Structure, name: string, indent: string): string =>
  isList(value)
    ? value.map((item) => blockItem(item, name, indent)).join("")
    : blockFields(value, indent);

const blockFields = (
  fields: { readonly [field: string]: Value | undefined },
  indent: string,
): string =>
  Object.entries(fields)
    .map(([name, value]) => (value === undefined ? "" : blockField(name, value, indent)))
    .join("");

/** Returns an item of a list. The dash replaces the indentation of the item's first field. */
function blockItem(item: Value, name: string, indent: string): string {
  const line = inOneLine(item, name, MAX_LINE_LENGTH - indent.length);
  if (line !== null) return `${indent}- ${line}\n`;
  // A text that is not on one line has line breaks, which JSON escapes.
  if (typeof item !== "object") return `${indent}- ${JSON.stringify(item)}\n`;
  return `${indent}- ${block(item, name, `${indent}  `).slice(indent.length + 2)}`;
}

/**
 * Returns the value on one line. Returns null if a text has line breaks, or if a list or object is
 * too long or has a list of objects.
 * @param name the name of the field whose value this is, or whose list contains it
 */
function inOneLine(value: Value, name: string, width: number): string | null {
  if (typeof value === "string") return value.includes("\n") ? null : scalar(value, name);
  if (typeof value !== "object") return String(value);
  if (isListOfObjects(value)) return null;
  const parts: string[] = [];
  let length = 0;
  for (const [field, inner] of Object.entries(value) as [string, Value | undefined][]) {
    if (inner === undefined) continue;
    const line = inOneLine(inner, isList(value) ? name : field, width);
    if (line === null) return null;
    parts.push(isList(value) ? line : `${quoted(field)}: ${line}`);
    length += (parts.at(-1)?.length ?? 0) + 2;
    if (length + 2 > width) return null;
  }
  if (isList(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const scalar = (text: string, name: string): string =>
  DECIMAL_FIELDS.has(name) && /^\d+(?:\.\d+)?$/.test(text) ? text : quoted(text);

// YAML 1.2 needs no quotes around some of these words, but other tools read `no` as false.
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const PLAIN = /^[\p{L}](?:[\p{L}\p{M}\p{N} _.()&'’/+-]*[\p{L}\p{M}\p{N}_.()&'’/+-])?$/u;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Quotes a text that a YAML parser could read as another value. A date stays without quotes: some
 * parsers read it as text and some as a date, which means the same.
 */
const quoted = (text: string): string =>
  (PLAIN.test(text) && !RESERVED.test(text)) || DATE.test(text) ? text : JSON.stringify(text);

/** Returns a multi-line text as a block, if a block keeps every character. */
function multiline(text: string, indent: string): string {
  const lines = text.split("\n");
  const isExact =
    /^\S/.test(text) &&
    lines.at(-1) !== "" &&
    !lines.some((line) => /[\s\u0085\u2028\u2029\ufeff]$|[\t\r\u0085\u2028\u2029]/.test(line));
  return isExact
    ? `|-\n${lines.map((line) => (line === "" ? "" : indent + line)).join("\n")}`
    : JSON.stringify(text);
}
