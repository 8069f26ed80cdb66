import type { AuthoredBusiness, AuthoredFile } from "../file/schema.ts";
import { CSV_SEPARATOR, CSV_TYPES, type CsvCells, type CsvColumn, type CsvType } from "./format.ts";
import { validateCatalog } from "../validate.ts";
import { limitedSuggestions, type ValidationIssue, type Path, quote } from "../validation-issue.ts";
import { slugFromKey } from "../read/public-events.ts";
import { type ImportedSections, withoutEmpty } from "../import-report.ts";

/** A row of the table below its titles. `line` is the first, of several with line breaks inside quotes. */
export type CsvRow = { line: number; cells: CsvCells };
export type CsvIssue = { line: number; code: string; detail: string };

type Item = Record<string, unknown> & { key: string };
type Placed = { row: CsvRow; type: CsvType; item: Item };

const PARENTS: { [T in CsvType]?: { type: CsvType; list: string } } = {
  variant: { type: "service", list: "variants" },
  size: { type: "menu_item", list: "sizes" },
};

const SECTIONS: { [T in CsvType]?: readonly string[] } = {
  service_category: ["serviceCategories"],
  addon: ["addons"],
  service: ["services"],
  menu_category: ["menu", "categories"],
  menu_item: ["menu", "items"],
};

/** The sections that a table fills, or everything that is wrong in it. */
export function readCsvSections(
  rows: readonly CsvRow[],
  business: AuthoredBusiness,
): { sections: ImportedSections; namedCategories: number; issues: CsvIssue[] } {
  const problems: CsvIssue[] = [];
  const suggest = limitedSuggestions();
  const report = ({ line }: CsvRow, detail: string) =>
    void problems.push({ line, code: "invalid_value", detail });

  const placed = rows.flatMap((row): Placed[] => {
    const type = CSV_TYPES.find((known) => known === row.cells.type?.trim().toLowerCase());
    if (type !== undefined) return [{ row, type, item: itemOf(row.cells) }];
    const given = row.cells.type ?? "";
    report(
      row,
      `'type' must be one of ${CSV_TYPES.join(", ")}, not ${quote(given)}.${suggest(given, CSV_TYPES)}`,
    );
    return [];
  });
  const byKey = new Map(placed.map((one) => [`${one.type} ${one.item.key}`, one]));

  for (const { row, type, item } of placed) {
    const parent = PARENTS[type];
    if (parent === undefined) continue;
    const wanted = cell(row.cells, "parent_key");
    const owner = byKey.get(`${parent.type} ${wanted ?? ""}`);
    if (owner !== undefined)
      owner.item[parent.list] = [...((owner.item[parent.list] as Item[]) ?? []), item];
    else if (wanted === undefined)
      report(row, `'parent_key' is missing: a ${type} belongs to a ${parent.type}.`);
    else {
      const known = placed.filter((one) => one.type === parent.type).map((one) => one.item.key);
      report(
        row,
        `There is no ${parent.type} ${quote(wanted)} in this file.${suggest(wanted, known)}`,
      );
    }
  }
  const namedCategories = fileUnderCategories(placed);
  takePriceOfFirstVariant(placed);

  const file = sectionsOf(placed);
  const mistakes = judge(
    { catalog: 1, business, ...file },
    new Map(placed.map(({ item, row }) => [item, row.line])),
  );
  return {
    sections: withoutEmpty(file),
    namedCategories,
    issues: [...problems, ...mistakes].sort((a, b) => a.line - b.line),
  };
}

const cell = (cells: CsvCells, column: CsvColumn): string | undefined =>
  cells[column]?.trim() || undefined;

const listIn = (text: string | undefined): string[] =>
  (text ?? "")
    .split(CSV_SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The fields of a row under the names that catalog files use. */
function itemOf(cells: CsvCells): Item {
  const name = cell(cells, "name");
  const lists = {
    allergens: listIn(cells.allergens),
    tags: listIn(cells.tags),
    images: listIn(cells.image),
  };
  const fields = {
    name,
    description: cell(cells, "description"),
    ...priceIn(cell(cells, "price")),
    durationMin: numberIn(cell(cells, "duration_min")),
    status: cell(cells, "status"),
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { key: cell(cells, "key") ?? slugFromKey(name ?? ""), ...Object.fromEntries(given) };
}

const numberIn = (text: string | undefined): string | number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : text;

/** `35.00`, `35,00`, `from 35.00`, or a word such as `free`. */
function priceIn(text: string | undefined): { price?: string; priceType?: string } {
  if (text === undefined) return {};
  if (/^(?:free|market|on_request)$/i.test(text)) return { priceType: text.toUpperCase() };
  const [, from, amount = text] = /^(from\s+)?(\S+)$/i.exec(text) ?? [];
  // Three digits behind a comma may be thousands.
  const price = /^\d+,\d{1,2}$/.test(amount) ? amount.replace(",", ".") : amount;
  return from === undefined ? { price } : { price, priceType: "FROM" };
}

/** Categories are named by key or by name; what is neither becomes a category of that name. */
function fileUnderCategories(placed: Placed[]): number {
  const before = placed.length;
  const link = (type: CsvType, row: CsvRow, name: string): string => {
    const known = placed.filter((one) => one.type === type);
    const found =
      known.find(({ item }) => item.key === name) ?? known.find(({ item }) => item.name === name);
    if (found !== undefined) return found.item.key;
    const item = { key: slugFromKey(name) || name, name };
    placed.push({ type, row, item });
    return item.key;
  };
  const memo = new Map<string, string>();
  const linked = (type: CsvType, row: CsvRow, name: string): string => {
    const place = `${type} ${name}`;
    const key = memo.get(place) ?? link(type, row, name);
    memo.set(place, key);
    return key;
  };
  for (const { type, row, item } of placed.slice()) {
    const names = listIn(row.cells.category);
    const parent = cell(row.cells, "parent_key");
    if (type === "service" && names.length > 0)
      item.category = linked("service_category", row, names.join(CSV_SEPARATOR));
    if (type === "menu_item" && names.length > 0)
      item.categories = names.map((name) => linked("menu_category", row, name));
    if ((type === "service_category" || type === "menu_category") && parent !== undefined)
      item.parent = parent;
  }
  return placed.length - before;
}

/** A service whose row has no price or duration of its own has those of its first variant. */
function takePriceOfFirstVariant(placed: readonly Placed[]): void {
  for (const { type, item } of placed) {
    const [first] = (item.variants ?? []) as Item[];
    if (type !== "service" || first === undefined) continue;
    if (item.price === undefined && item.priceType === undefined && first.price !== undefined)
      item.price = first.price;
    if (item.durationMin === undefined && first.durationMin !== undefined)
      item.durationMin = first.durationMin;
  }
}

function sectionsOf(placed: readonly Placed[]): ImportedSections {
  const file: Record<string, unknown> = {};
  for (const { type, item } of placed) {
    const path = SECTIONS[type];
    if (path === undefined) continue;
    const holder = path
      .slice(0, -1)
      .reduce((inner, name) => (inner[name] ??= {}) as Record<string, unknown>, file);
    ((holder[path.at(-1) ?? ""] ??= []) as Item[]).push(item);
  }
  return file as ImportedSections;
}

/** The same judgement as of a catalog file, each mistake at the line of its row. */
function judge(file: AuthoredFile, lines: ReadonlyMap<object, number>): CsvIssue[] {
  // What is wrong is struck out of what is judged, but the rows' items are the same objects: places are found before.
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
  return issues.map((mistake) => ({
    line: lineAt(mistake.at),
    code: mistake.code,
    detail: inColumns(mistake, lineAt),
  }));
}

const inColumns = ({ detail, first }: ValidationIssue, lineAt: (path: Path) => number): string =>
  detail
    .replaceAll("'durationMin'", "'duration_min'")
    .replaceAll("'images'", "'image'")
    .replaceAll("'parent'", "'parent_key'") +
  (first === undefined ? "" : ` The other is in line ${lineAt(first)}.`);
