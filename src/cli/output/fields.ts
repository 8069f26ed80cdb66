import { safe } from "../../domain/safe-text.ts";
import { cellWidth } from "./table.ts";

const INDENT = "  ";
const MOST = 10_000;

/** A field as one text, whatever it holds. */
export const fieldText = (value: unknown): string =>
  safe(typeof value === "string" ? value : value === null ? "" : JSON.stringify(value), MOST);

/** The fields of an object for a person, a line each; lists and objects in it on short lines of their own. */
export function toFields(object: object, width: number): string[] {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined);
  const margin = Math.max(...fields.map(([name]) => name.length)) + INDENT.length;
  return fields.flatMap(([name, value]: [string, unknown]) => {
    const label = safe(name).padEnd(margin);
    const rest = " ".repeat(margin);
    if (!Array.isArray(value)) {
      if (!isObject(value)) return [label + fieldText(value)];
      const short = label + pairs(value).join(INDENT);
      return cellWidth(short) <= width
        ? [short]
        : [safe(name), ...indented(toFields(value, width - INDENT.length))];
    }
    if (!value.some(isObject)) return wrap(label, rest, value.map(fieldText), " ", width);
    // Where one ends and the next begins, the indentation tells.
    const each = value.flatMap((item: unknown) =>
      wrap(
        "",
        INDENT,
        isObject(item) ? pairs(item) : [fieldText(item)],
        INDENT,
        width - INDENT.length,
      ),
    );
    return [safe(name), ...indented(each)];
  });
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (isObject(value) && Object.keys(value).length === 0);

const indented = (lines: readonly string[]): string[] => lines.map((line) => INDENT + line);

/** `name value`, without what is empty: of a whole object that is told too, of one among others it is noise. */
const pairs = (object: object): string[] =>
  Object.entries(object)
    .filter(([, value]: [string, unknown]) => !isEmpty(value))
    .map(([name, value]: [string, unknown]) => `${safe(name)} ${fieldText(value)}`);

/** None of the pieces is broken: what is longer than a line has one to itself. */
function wrap(
  first: string,
  others: string,
  pieces: readonly string[],
  gap: string,
  width: number,
): string[] {
  const lines: string[] = [];
  let line = first;
  let isBegun = false;
  for (const piece of pieces) {
    if (isBegun && cellWidth(line + gap + piece) > width) {
      lines.push(line);
      line = others;
      isBegun = false;
    }
    line += isBegun ? gap + piece : piece;
    isBegun = true;
  }
  return [...lines, line.trimEnd()];
}
