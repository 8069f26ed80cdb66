import { KIND_NAMES } from "../../domain/catalog/catalog.ts";

/** The columns. Each object is a row; variants and sizes follow their parent. */
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

/**
 * Maps each type of part to the type of the object that has such parts (`type`), and to the field
 * that lists them in a catalog file (`list`).
 */
export const CSV_PARENTS = {
  variant: { type: "service", list: "variants" },
  size: { type: "menu_item", list: "sizes" },
} as const satisfies { [T in CsvType]?: { type: CsvType; list: string } };

export type CsvPartType = keyof typeof CSV_PARENTS;
export type CsvKind = Exclude<CsvType, CsvPartType>;

/** The kinds of objects that are not part of another one, in the order of an export. */
export const CSV_KINDS: readonly CsvKind[] = [
  "service_category",
  "addon",
  "service",
  "menu_category",
  "menu_item",
];

export const CSV_PART_TYPES = Object.keys(CSV_PARENTS) as CsvPartType[];

export const isPartType = (type: CsvType): type is CsvPartType => type in CSV_PARENTS;

export const csvNoun = (type: CsvType): string => (isPartType(type) ? type : KIND_NAMES[type]);

/** A row below the titles; `row` is the number that a spreadsheet shows. */
export type CsvRow = { row: number; cells: CsvCells };

export type CsvTable = {
  rows: CsvRow[];
  /** The titles of the columns as the file writes them. */
  titles: CsvCells;
  /** The columns that deskbell does not know and that have content; positions begin at 1. */
  ignored: { position: number; title: string }[];
  /** The issues of cells that could not be read; `rows` lacks these cells. */
  issues: CsvIssue[];
};

/** An issue of a row. An absent `code` means `invalid_value`; `column` names the cell. */
export type CsvIssue = { row: number; column?: CsvColumn; code?: string; detail: string };

/** Separates several values in one cell. */
export const CSV_SEPARATOR = "|";

// Spreadsheets execute cells that start with these characters as formulas; some also execute the
// fullwidth forms. A text with apostrophes before such a character gets one more, so that
// `readCell` removes only the added one.
const FORMULA_START = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Returns the text for a CSV file. An apostrophe keeps a spreadsheet from executing it. */
export function writeCell(text: string): string {
  const escaped = FORMULA_START.test(text) ? `'${text}` : text;
  return /[",;\n\r]|^\s|\s$/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/**
 * Returns the text of a cell without the apostrophe that `writeCell` adds. Line breaks become line
 * feeds, as in a catalog file.
 */
export function readCell(cell: string): string {
  const text = cell.replaceAll(/\r\n?/g, "\n");
  return text.startsWith("'") && FORMULA_START.test(text) ? text.slice(1) : text;
}

/** Returns whether a cell contains a formula instead of its result. */
export const isFormula = (cell: string): boolean => cell.trimStart().startsWith("=");
