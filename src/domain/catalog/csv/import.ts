import { CSV_SEPARATOR, CSV_TYPES, type CsvCells, type CsvColumn, type CsvType } from "./format.ts";
import { type CatalogIssue, limitedSuggestions, type Path } from "../catalog-issue.ts";
import { defaultSlug } from "../file/public-events.ts";
import type { AuthoredBusiness } from "../file/business.ts";
import type { AuthoredFile } from "../file/schema.ts";
import { SECTIONS, setAt } from "../file/sections.ts";
import { type ImportedSections, withoutEmpty } from "../import-report.ts";
import { validateCatalog } from "../validate.ts";
import { quote } from "../../text.ts";

/** A row below the titles. `line` is its first line; quoted cells can span several. */
export type CsvRow = { line: number; cells: CsvCells };
export type CsvIssue = { line: number; code: string; detail: string };

/** With the fields of a catalog file. */
type Draft = Record<string, unknown> & { key: string };
type DraftRow = { row: CsvRow; type: CsvType; draft: Draft };

const PARENTS: { [T in CsvType]?: { type: CsvType; list: string } } = {
  variant: { type: "service", list: "variants" },
  size: { type: "menu_item", list: "sizes" },
};

/** The sections are valid only without issues. */
export function readCsvSections(
  rows: readonly CsvRow[],
  business: AuthoredBusiness,
): { sections: ImportedSections; namedCategories: number; issues: CsvIssue[] } {
  const rowIssues: CsvIssue[] = [];
  const suggest = limitedSuggestions();
  const addIssue = ({ line }: CsvRow, detail: string) =>
    void rowIssues.push({ line, code: "invalid_value", detail });

  const drafts = rows.flatMap((row): DraftRow[] => {
    const type = CSV_TYPES.find((known) => known === row.cells.type?.trim().toLowerCase());
    if (type !== undefined) return [{ row, type, draft: readRow(row.cells) }];
    const given = row.cells.type ?? "";
    addIssue(
      row,
      `'type' must be one of ${CSV_TYPES.join(", ")}, not ${quote(given)}.${suggest(given, CSV_TYPES)}`,
    );
    return [];
  });
  const byKey = new Map(drafts.map((one) => [`${one.type} ${one.draft.key}`, one.draft]));

  for (const { row, type, draft } of drafts) {
    const parent = PARENTS[type];
    if (parent === undefined) continue;
    const parentKey = cell(row.cells, "parent_key");
    const owner = byKey.get(`${parent.type} ${parentKey ?? ""}`);
    if (owner !== undefined)
      owner[parent.list] = [...((owner[parent.list] as Draft[]) ?? []), draft];
    else if (parentKey === undefined)
      addIssue(row, `'parent_key' is missing: a ${type} belongs to a ${parent.type}.`);
    else {
      const known = drafts.filter((one) => one.type === parent.type).map((one) => one.draft.key);
      addIssue(
        row,
        `There is no ${parent.type} ${quote(parentKey)} in this file.${suggest(parentKey, known)}`,
      );
    }
  }
  const namedCategories = linkCategories(drafts);
  inheritFromFirstVariant(drafts);

  const file = sectionsOf(drafts);
  const fileIssues = validateSections(
    { catalog: 1, business, ...file },
    new Map(drafts.map(({ draft, row }) => [draft, row.line])),
  );
  return {
    sections: withoutEmpty(file),
    namedCategories,
    issues: [...rowIssues, ...fileIssues].sort((a, b) => a.line - b.line),
  };
}

const cell = (cells: CsvCells, column: CsvColumn): string | undefined =>
  cells[column]?.trim() || undefined;

const splitList = (text: string | undefined): string[] =>
  (text ?? "")
    .split(CSV_SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== "");

function readRow(cells: CsvCells): Draft {
  const name = cell(cells, "name");
  const lists = {
    allergens: splitList(cells.allergens),
    tags: splitList(cells.tags),
    images: splitList(cells.image),
  };
  const fields = {
    name,
    description: cell(cells, "description"),
    ...readPrice(cell(cells, "price")),
    durationMin: readNumber(cell(cells, "duration_min")),
    status: cell(cells, "status"),
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { key: cell(cells, "key") ?? defaultSlug(name ?? ""), ...Object.fromEntries(given) };
}

/** Text that is not a whole number stays text, which the validation then reports. */
const readNumber = (text: string | undefined): string | number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : text;

/** `35.00`, `35,00`, `from 35.00`, or a price type such as `free`. */
function readPrice(text: string | undefined): { price?: string; priceType?: string } {
  if (text === undefined) return {};
  if (/^(?:free|market|on_request)$/i.test(text)) return { priceType: text.toUpperCase() };
  const [, from, amount = text] = /^(from\s+)?(\S+)$/i.exec(text) ?? [];
  // A comma before three digits may separate thousands, so it is not read as a decimal comma.
  const price = /^\d+,\d{1,2}$/.test(amount) ? amount.replace(",", ".") : amount;
  return from === undefined ? { price } : { price, priceType: "FROM" };
}

/**
 * Replaces names or keys in the column `category` by keys.
 * @returns the number of categories created, because none had that name or key
 */
function linkCategories(drafts: DraftRow[]): number {
  const before = drafts.length;
  const findOrCreate = (type: CsvType, row: CsvRow, name: string): string => {
    const known = drafts.filter((one) => one.type === type);
    const found =
      known.find(({ draft }) => draft.key === name) ??
      known.find(({ draft }) => draft.name === name);
    if (found !== undefined) return found.draft.key;
    const draft = { key: defaultSlug(name) || name, name };
    drafts.push({ type, row, draft });
    return draft.key;
  };
  const keys = new Map<string, string>();
  const categoryKey = (type: CsvType, row: CsvRow, name: string): string => {
    const cacheKey = `${type} ${name}`;
    const key = keys.get(cacheKey) ?? findOrCreate(type, row, name);
    keys.set(cacheKey, key);
    return key;
  };
  for (const { type, row, draft } of drafts.slice()) {
    const names = splitList(row.cells.category);
    const parent = cell(row.cells, "parent_key");
    if (type === "service" && names.length > 0)
      draft.category = categoryKey("service_category", row, names.join(CSV_SEPARATOR));
    if (type === "menu_item" && names.length > 0)
      draft.categories = names.map((name) => categoryKey("menu_category", row, name));
    if ((type === "service_category" || type === "menu_category") && parent !== undefined)
      draft.parent = parent;
  }
  return drafts.length - before;
}

/** A service without a price or duration gets those of its first variant. */
function inheritFromFirstVariant(drafts: readonly DraftRow[]): void {
  for (const { type, draft } of drafts) {
    const [first] = (draft.variants ?? []) as Draft[];
    if (type !== "service" || first === undefined) continue;
    if (draft.price === undefined && draft.priceType === undefined && first.price !== undefined)
      draft.price = first.price;
    if (draft.durationMin === undefined && first.durationMin !== undefined)
      draft.durationMin = first.durationMin;
  }
}

/** Sections in the order of their first rows. */
function sectionsOf(drafts: readonly DraftRow[]): ImportedSections {
  const file = {};
  for (const [type, rows] of Map.groupBy(drafts, (one) => one.type))
    if (type !== "variant" && type !== "size")
      setAt(
        file,
        SECTIONS[type].path,
        rows.map(({ draft }) => draft),
      );
  return file;
}

/** `lines`: the line of each object. */
function validateSections(file: AuthoredFile, lines: ReadonlyMap<object, number>): CsvIssue[] {
  // Validation deletes invalid values, but keeps the objects, so that `lines` still finds them.
  const lineAt = (path: Path): number => {
    let line = 1;
    let value: unknown = [file];
    for (const part of path) {
      value = (value as Record<string | number, unknown> | undefined)?.[part];
      if (typeof value === "object" && value !== null) line = lines.get(value) ?? line;
    }
    return line;
  };
  const { issues } = validateCatalog([file], {
    current: () => null,
    prune: false,
    seedingAt: null,
  });
  return issues.map((issue) => ({
    line: lineAt(issue.path),
    code: issue.code,
    detail: withColumnNames(issue, lineAt),
  }));
}

const withColumnNames = (
  { detail, otherPath }: CatalogIssue,
  lineAt: (path: Path) => number,
): string =>
  detail
    .replaceAll("'durationMin'", "'duration_min'")
    .replaceAll("'images'", "'image'")
    .replaceAll("'parent'", "'parent_key'") +
  (otherPath === undefined ? "" : ` The other is in line ${lineAt(otherPath)}.`);
