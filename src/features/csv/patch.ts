import type { Catalog } from "../../domain/catalog/catalog.ts";
import {
  type CatalogIssue,
  fieldName,
  limitedSuggestions,
  type Path,
} from "../../domain/catalog/catalog-issue.ts";
import type { MergedCatalog } from "../../domain/catalog/change/merge.ts";
import type { AuthoredBusiness } from "../../domain/catalog/file/business.ts";
import type { AuthoredFile } from "../../domain/catalog/file/schema.ts";
import { SECTIONS, setAt } from "../../domain/catalog/file/sections.ts";
import type { ImportedSections } from "../../domain/catalog/import-report.ts";
import { validateCatalog } from "../../domain/catalog/validate.ts";
import { type Currency, foreignCurrencyIn } from "../../domain/money.ts";
import { quote } from "../../domain/text.ts";
import { Entries, type Entry } from "./entries.ts";
import {
  CSV_COLUMNS,
  CSV_KINDS,
  CSV_TYPES,
  type CsvColumn,
  type CsvIssue,
  type CsvTable,
  csvNoun,
} from "./format.ts";
import { type MatchedRow, matchRows, titleOf } from "./match-rows.ts";
import { CLEARABLE_COLUMNS, findCellProblem, setCell } from "./set-cell.ts";

export type CsvPatch = {
  /** The whole catalog after the change; valid only if `issues` is empty. */
  merged: MergedCatalog | null;
  /** The sections that the rows belong to, each with all its objects. */
  sections: ImportedSections;
  /** The number of categories that the column `category` names and the catalog lacks. */
  newCategories: number;
  /** The columns in which objects lose their value, each with the number of these objects. */
  cleared: ClearedCells[];
  issues: CsvIssue[];
};

export type ClearedCells = { column: CsvColumn; objects: number };

/**
 * Returns the catalog with the cells of a table. Objects and columns that the table does not
 * contain stay as they are.
 * @param options `isNew`: whether the business does not exist yet; `catalog` then has no objects
 */
export function patchCatalog(
  table: CsvTable,
  catalog: Catalog,
  business: AuthoredBusiness,
  { isNew }: { isNew: boolean },
): CsvPatch {
  const entries = new Entries(catalog);
  const where = isNew ? "in this file" : `in ${business.slug}`;
  const { matched, issues: rowIssues } = matchRows(table, entries, where);
  const countCategories = () =>
    entries.ofType("service_category").length + entries.ofType("menu_category").length;
  // `setCells` adds the categories that cells name and the catalog lacks.
  const categoriesBefore = countCategories();
  const issues = [
    ...validateTitles(table, catalog.business),
    ...table.issues,
    ...rowIssues,
    ...setCells(table, matched, entries, catalog),
  ];
  for (const service of entries.ofType("service")) inheritFromFirstVariant(service);

  const sections = sectionsOf(entries);
  const file: AuthoredFile = { catalog: 1, business, ...sections };
  const { merged, issues: catalogIssues } = validateCatalog([file], {
    current: () => (isNew ? null : catalog),
    prune: false,
    seedingAt: null,
  });
  const invalidCells = findInvalidCells(issues);
  return {
    merged,
    sections,
    newCategories: countCategories() - categoriesBefore,
    cleared: countCleared(matched),
    issues: [
      ...issues.filter(
        (issue) => issue.code !== "missing_field" || !invalidCells.has(cellId(issue)),
      ),
      ...explainIssues(catalogIssues, invalidCells, { table, entries, file, isNew }),
    ],
  };
}

function validateTitles({ titles: { price = "" } }: CsvTable, currency: Currency): CsvIssue[] {
  const foreign = foreignCurrencyIn(price, currency);
  if (foreign === undefined) return [];
  const detail = `The column ${quote(price)} is in ${foreign}, but the prices of this business are in ${currency.currency}.`;
  return [{ row: 1, detail }];
}

/**
 * Sets all cells. A row that describes no object is checked too, so that all issues are reported.
 */
function setCells(
  table: CsvTable,
  matched: readonly MatchedRow[],
  entries: Entries,
  { business }: Catalog,
): CsvIssue[] {
  const entryOf = new Map(matched.map(({ row, entry }) => [row, entry]));
  return table.rows.flatMap((tableRow) => {
    const { row, cells } = tableRow;
    const entry = entryOf.get(tableRow);
    return CSV_COLUMNS.flatMap((column): CsvIssue[] => {
      const text = cells[column]?.trim();
      if (text === undefined) return [];
      // A row without a key comes from the owner's own list. Its name only finds the object and may
      // be spelled differently, and its empty cells change nothing.
      if ((column === "name" || text === "") && entry?.exported && !cells.key?.trim()) return [];
      const problem =
        entry === undefined
          ? findCellProblem(column, text, business)
          : setCell(entry, column, text, {
              entries,
              currency: business,
              locale: business.locale,
              row,
            });
      const detail = `${titleOf(table, column)} ${problem}.`;
      return problem === undefined ? [] : [{ row, column, detail }];
    });
  });
}

/** Counts the cells that rows clear. A row without a key clears none. */
function countCleared(matched: readonly MatchedRow[]): ClearedCells[] {
  const isCleared = (column: CsvColumn, { row: { cells }, entry }: MatchedRow) =>
    cells[column]?.trim() === "" && entry.exported?.[column] && cells.key?.trim();
  return CLEARABLE_COLUMNS.map((column) => ({
    column,
    objects: matched.filter((one) => isCleared(column, one)).length,
  })).filter(({ objects }) => objects > 0);
}

/**
 * Returns the cells that have an issue other than a missing field. Such an issue keeps a field from
 * being set, so the validation wrongly reports the field as missing.
 */
const findInvalidCells = (issues: readonly CsvIssue[]): ReadonlySet<string> =>
  new Set(issues.filter(({ code }) => code !== "missing_field").map(cellId));

const cellId = ({ row, column }: Pick<CsvIssue, "row" | "column">): string =>
  `${row} ${column ?? ""}`;

/** Gives a new service without a price or duration those of its first variant. */
function inheritFromFirstVariant({ draft, parts, exported }: Entry): void {
  const first = parts[0]?.draft;
  if (exported !== undefined || first === undefined) return;
  if (draft.price === undefined && draft.priceType === undefined && first.price !== undefined)
    draft.price = first.price;
  if (draft.durationMin === undefined && first.durationMin !== undefined)
    draft.durationMin = first.durationMin;
}

/** Returns complete sections: an object missing in its section would move behind all others. */
function sectionsOf(entries: Entries): ImportedSections {
  const file = {};
  for (const kind of CSV_KINDS) {
    const ofKind = entries.ofType(kind);
    const isListed = ({ row, parts }: Entry) =>
      row !== undefined || parts.some((part) => part.row !== undefined);
    if (ofKind.some(isListed))
      setAt(
        file,
        SECTIONS[kind].path,
        ofKind.map(({ draft }) => draft),
      );
  }
  return file;
}

type ExplainContext = { table: CsvTable; entries: Entries; file: AuthoredFile; isNew: boolean };

/**
 * Returns the issues of the changed catalog, with the rows and titles of the table instead of
 * paths.
 */
function explainIssues(
  found: readonly CatalogIssue[],
  invalidCells: ReadonlySet<string>,
  { table, entries, file, isNew }: ExplainContext,
): CsvIssue[] {
  const entryOfDraft = new Map(
    CSV_TYPES.flatMap((type) => entries.ofType(type)).map((entry) => [
      entry.draft as object,
      entry,
    ]),
  );
  const entryAt = (path: Path): Entry | undefined => {
    // A path begins with the number of the file, and there is one file.
    let [entry, value]: [Entry | undefined, unknown] = [undefined, [file]];
    for (const part of path) {
      value = (value as Record<string | number, unknown> | undefined)?.[part];
      if (typeof value === "object" && value !== null) entry = entryOfDraft.get(value) ?? entry;
    }
    return entry;
  };
  const rowAt = (path: Path): number => entryAt(path)?.row ?? 1;

  // A row that describes no stored object is probably misspelled. The missing fields of the row
  // become one issue, which suggests names.
  const missing = new Map<Entry, string[]>();
  const issues = found.flatMap(({ code, path, detail, otherPath }): CsvIssue[] => {
    const entry = entryAt(path);
    const row = entry?.row ?? 1;
    const column = columnOfField(fieldName(path));
    const title = column === undefined ? undefined : titleOf(table, column);
    const named = title === undefined ? detail : detail.replaceAll(`'${fieldName(path)}'`, title);
    if (
      code === "missing_field" &&
      column !== undefined &&
      invalidCells.has(cellId({ row, column }))
    )
      return [];
    const isUnknown = !isNew && entry !== undefined && entry.exported === undefined;
    if (code === "missing_field" && isUnknown && title !== undefined) {
      missing.set(entry, [...(missing.get(entry) ?? []), title]);
      return [];
    }
    const other = otherPath === undefined ? "" : ` The other is in row ${rowAt(otherPath)}.`;
    return [{ row, code, detail: named + other }];
  });
  const suggest = limitedSuggestions();
  for (const [{ type, draft, row = 1 }, titles] of missing) {
    const text = String(draft.name ?? draft.key);
    const known = entries.namesToSuggest([type], draft.name === undefined ? "key" : "name");
    issues.push({
      row,
      code: "missing_field",
      detail: `There is no ${csvNoun(type)} ${quote(text)} to update.${suggest(text, known)} To create it, fill in ${titles.join(", ")}.`,
    });
  }
  return issues;
}

const FIELD_COLUMNS: Readonly<Record<string, CsvColumn>> = {
  durationMin: "duration_min",
  images: "image",
  parent: "parent_key",
  categories: "category",
};

const columnOfField = (field: string): CsvColumn | undefined =>
  FIELD_COLUMNS[field] ?? CSV_COLUMNS.find((column) => column === field);
