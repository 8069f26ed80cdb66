/** The columns of a catalog in CSV, in their order. One row an object; a variant and a size follow the one they belong to. */
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

/** Between several values in one cell. */
export const CSV_SEPARATOR = "|";

// A spreadsheet runs what begins like this, and sends the rest of the sheet wherever it says.
const RUNS = /^[=+\-@\t\r]/;

/** A cell that no spreadsheet runs and every reader of CSV takes as one. */
export function writeCell(text: string): string {
  const inert = RUNS.test(text) ? `'${text}` : text;
  return /[",;\n\r]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Takes back the apostrophe that `writeCell` put before what would have been run. */
export const readCell = (text: string): string =>
  text.startsWith("'") && RUNS.test(text.slice(1)) ? text.slice(1) : text;
