import { safe } from "../../domain/text.ts";
import { cellWidth } from "./table.ts";

const INDENT = "  ";
const MAX_CHARS = 10_000;

export const fieldText = (value: unknown): string =>
  safe(typeof value === "string" ? value : value === null ? "" : JSON.stringify(value), MAX_CHARS);

/**
 * Formats an object for a terminal: a line per field, with long lists and nested objects wrapped
 * and indented.
 */
export function toFields(object: object, width: number): string[] {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined);
  const margin = Math.max(...fields.map(([name]) => name.length)) + INDENT.length;
  return fields.flatMap(([name, value]: [string, unknown]) => {
    const label = safe(name).padEnd(margin);
    const continuation = " ".repeat(margin);
    if (!Array.isArray(value)) {
      if (!isObject(value)) return [label + fieldText(value)];
      const oneLine = label + pairs(value).join(INDENT);
      return cellWidth(oneLine) <= width
        ? [oneLine]
        : [safe(name), ...indented(toFields(value, width - INDENT.length))];
    }
    if (!value.some(isObject))
      return joinIntoLines(label, continuation, separated(value.map(fieldText)), " ", width);
    // Continuation lines are indented, so that the start of each item is visible.
    const itemLines = value.flatMap((item: unknown) =>
      joinIntoLines(
        "",
        INDENT,
        isObject(item) ? pairs(item) : [fieldText(item)],
        INDENT,
        width - INDENT.length,
      ),
    );
    return [safe(name), ...indented(itemLines)];
  });
}

/** Adds commas between the texts if one of them has a space. */
const separated = (texts: readonly string[]): readonly string[] =>
  texts.some((text) => text.includes(" "))
    ? texts.map((text, i) => (i < texts.length - 1 ? `${text},` : text))
    : texts;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (isObject(value) && Object.keys(value).length === 0);

const indented = (lines: readonly string[]): string[] => lines.map((line) => INDENT + line);

/**
 * Returns `name value` for each field of a nested object. Empty fields are omitted to save space.
 */
const pairs = (object: object): string[] =>
  Object.entries(object)
    .filter(([, value]: [string, unknown]) => !isEmpty(value))
    .map(([name, value]: [string, unknown]) => `${safe(name)} ${fieldText(value)}`);

/**
 * Joins pieces into lines of at most `width` cells. A piece is never split, even if it is wider.
 * @param first the start of the first line
 * @param others the start of each other line
 * @param gap the text between two pieces on a line
 */
export function joinIntoLines(
  first: string,
  others: string,
  pieces: readonly string[],
  gap: string,
  width: number,
): string[] {
  const lines: string[] = [];
  let line = first;
  let hasPiece = false;
  for (const piece of pieces) {
    if (hasPiece && cellWidth(line + gap + piece) > width) {
      lines.push(line);
      line = others;
      hasPiece = false;
    }
    line += hasPiece ? gap + piece : piece;
    hasPiece = true;
  }
  return [...lines, line.trimEnd()];
}
