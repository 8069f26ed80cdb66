/** Each object is a row; variants and sizes follow their parent. */
export const CSV_COLUMNS = [
  "type",
  "key",
  "parent_key",
  "name",
  "category",
  "price",
  "duration_min",
  "description",
  "image",
  "status",
  "allergens",
  "tags",
] as const;

export type CsvColumn = (typeof CSV_COLUMNS)[number];
export type CsvCells = { [C in CsvColumn]?: string };

export const CSV_TYPES = [
  "service_category",
  "addon",
  "service",
  "variant",
  "menu_category",
  "menu_item",
  "size",
] as const;
export type CsvType = (typeof CSV_TYPES)[number];

/** Separates several values in one cell. */
export const CSV_SEPARATOR = "|";

// Spreadsheets execute cells that start with these characters as formulas.
const FORMULA_START = /^[=+\-@\t\r]/;

/** An apostrophe precedes text that a spreadsheet would execute. */
export function writeCell(text: string): string {
  const escaped = FORMULA_START.test(text) ? `'${text}` : text;
  return /[",;\n\r]|^\s|\s$/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/** Without the apostrophe that `writeCell` adds. */
export const readCell = (text: string): string =>
  text.startsWith("'") && FORMULA_START.test(text.slice(1)) ? text.slice(1) : text;
