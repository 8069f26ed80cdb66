import type { Currency } from "../../domain/money.ts";
import { withShownTexts } from "../../domain/catalog/shown-texts.ts";
import { toSlugLetters } from "../../domain/catalog/file/public-events.ts";
import { quote } from "../../domain/text.ts";
import { findSpoiledText, parseDurationCell, parsePriceCell, splitList } from "./cells.ts";
import type { Draft, Entries, Entry } from "./entries.ts";
import { type CsvColumn, type CsvType, isPartType } from "./format.ts";

export type CellContext = { entries: Entries; currency: Currency; locale: string; row: number };

/** The rest of a sentence that begins with the title of the column; undefined if all is well. */
type CellProblem = string | undefined;

/**
 * Sets the field of a column. An empty cell clears an optional field and leaves a required one. A
 * cell that equals the export changes nothing, because the catalog may know more about the field
 * than a cell can say.
 */
export function setCell(
  entry: Entry,
  column: CsvColumn,
  text: string,
  context: CellContext,
): CellProblem {
  if (column === "type" || column === "key") return undefined;
  // A variant or size has no category, and `matchRows` has used its parent_key.
  if (isPartType(entry.type) && (column === "parent_key" || column === "category"))
    return undefined;
  const isUnchanged = text === (entry.exported?.[column] ?? "").trim();
  // An unchanged price of a dish is set, too. A dish without a price of its own shows the price of
  // its cheapest size, which would otherwise change with the sizes in the table.
  if (isUnchanged && !(column === "price" && entry.type === "menu_item")) return undefined;
  if (!FIELDS[entry.type].includes(column))
    return `has no meaning in a row of type ${entry.type}: leave the cell empty`;
  const spoiled = findSpoiledText(text, { isProse: PROSE_COLUMNS.has(column) });
  if (spoiled !== undefined) return spoiled;
  const before = { ...entry.draft };
  const problem = SETTERS[column](entry, text, context);
  Object.assign(entry.draft, withShownTexts(before, entry.draft, context.locale));
  return problem;
}

/**
 * Returns what is wrong with a cell of a row that describes no object. The key and name are not
 * checked, because the row already has an issue about them.
 */
export function findCellProblem(column: CsvColumn, text: string, currency: Currency): CellProblem {
  if (column === "key" || column === "name") return undefined;
  const spoiled = findSpoiledText(text, { isProse: PROSE_COLUMNS.has(column) });
  if (spoiled !== undefined || text === "") return spoiled;
  if (column === "price") return problemOf(parsePriceCell(text, currency));
  return column === "duration_min" ? problemOf(parseDurationCell(text)) : undefined;
}

const problemOf = (parsed: object): CellProblem =>
  "problem" in parsed ? String(parsed.problem) : undefined;

const COMMON_COLUMNS = ["name", "description", "image", "status"] as const;
const FIELDS: Record<CsvType, readonly CsvColumn[]> = {
  service_category: [...COMMON_COLUMNS, "parent_key"],
  addon: [...COMMON_COLUMNS, "price", "duration_min"],
  service: [...COMMON_COLUMNS, "category", "price", "duration_min", "tags"],
  variant: [...COMMON_COLUMNS, "price", "duration_min"],
  menu_category: [...COMMON_COLUMNS, "parent_key"],
  menu_item: [...COMMON_COLUMNS, "category", "price", "allergens", "tags"],
  size: ["name", "price"],
};

/**
 * Columns whose field an empty cell clears; other fields are required, or rarely meant to be empty.
 */
export const CLEARABLE_COLUMNS: readonly CsvColumn[] = [
  "description",
  "category",
  "image",
  "allergens",
  "tags",
];

/** Columns of free text, which may look like a date or number. */
const PROSE_COLUMNS: ReadonlySet<CsvColumn> = new Set(["description", "tags", "image"]);

type Setter = (entry: Entry, text: string, context: CellContext) => CellProblem;

const SETTERS: Record<Exclude<CsvColumn, "type" | "key">, Setter> = {
  name: ({ draft }, text) => setRequired(draft, "name", text),
  status: ({ draft }, text) => setRequired(draft, "status", text.toLowerCase()),
  description: ({ draft }, text) => setOptional(draft, "description", text),
  tags: ({ draft }, text) => setOptional(draft, "tags", splitList(text)),
  allergens: ({ draft }, text) => setOptional(draft, "allergens", splitList(text.toLowerCase())),
  image: ({ draft }, text) => setOptional(draft, "images", keepImages(draft, splitList(text))),
  price: setPrice,
  duration_min: setDuration,
  category: setCategory,
  parent_key: setParent,
};

function setRequired(draft: Draft, field: string, text: string): CellProblem {
  if (text !== "") draft[field] = text;
  return undefined;
}

function setOptional(draft: Draft, field: string, value: string | readonly unknown[]): CellProblem {
  if (value.length > 0) draft[field] = value;
  else delete draft[field];
  return undefined;
}

/** Returns the images with these URLs; images that the object has keep their text and size. */
function keepImages(draft: Draft, urls: readonly string[]): unknown[] {
  const known = (draft.images ?? []) as (string | { url: string })[];
  const urlOf = (image: string | { url: string }) =>
    typeof image === "string" ? image : image.url;
  return urls.map((url) => known.find((image) => urlOf(image) === url) ?? url);
}

function setPrice(entry: Entry, text: string, { currency }: CellContext): CellProblem {
  if (text === "") return undefined;
  const { type, draft } = entry;
  const parsed = parsePriceCell(text, currency);
  if ("problem" in parsed) return parsed.problem;
  if (parsed.priceType !== undefined && type !== "service" && type !== "menu_item")
    return `must be an amount such as 35.00, not ${quote(text)}: only services and dishes have other prices`;
  keepInheritedValues(entry);
  for (const field of ["price", "priceType"] as const) {
    if (parsed[field] === undefined) delete draft[field];
    else draft[field] = parsed[field];
  }
  return undefined;
}

function setDuration(entry: Entry, text: string): CellProblem {
  if (text === "") return undefined;
  const parsed = parseDurationCell(text);
  if ("problem" in parsed) return parsed.problem;
  keepInheritedValues(entry);
  entry.draft.durationMin = parsed.durationMin;
  return undefined;
}

/**
 * Gives variants a price and duration of their own in place of inherited ones, so that a change of
 * the service does not change the variants.
 */
function keepInheritedValues({ parts }: Entry): void {
  for (const { type, draft, exported } of parts)
    if (type === "variant" && exported !== undefined) {
      draft.price ??= exported.price;
      draft.durationMin ??= Number(exported.duration_min);
    }
}

function setCategory({ type, draft }: Entry, text: string, context: CellContext): CellProblem {
  if (type === "service") {
    const found = findCategories("service_category", text === "" ? [] : [text], context);
    if ("problem" in found) return found.problem;
    return setOptional(draft, "category", found.keys[0] ?? "");
  }
  const found = findCategories("menu_category", splitList(text), context);
  return "problem" in found ? found.problem : setOptional(draft, "categories", found.keys);
}

/**
 * Returns the keys of the categories with these names, and adds the categories that are missing.
 */
function findCategories(
  type: "service_category" | "menu_category",
  names: readonly string[],
  { entries, row }: CellContext,
): { keys: string[] } | { problem: string } {
  const keys: string[] = [];
  for (const name of names) {
    const key = toSlugLetters(name) || name;
    const found = entries.findAny(type, name);
    if (found.length > 1) return { problem: ambiguousCategory(name, found) };
    // The key that the name would get may also be the key of a category with another name.
    const [known] = [...found, ...entries.find(type, { key })];
    if (known === undefined && splitList(name).length > 1)
      return { problem: `lists several categories in ${quote(name)}; a service has one` };
    const draft = known?.draft ?? { key, name };
    if (known === undefined) entries.add({ type, draft, parts: [], formerKeys: [], row });
    keys.push(draft.key);
  }
  return { keys };
}

const ambiguousCategory = (name: string, found: readonly Entry[]): string =>
  `fits several categories: ${found.map(({ draft }) => quote(draft.key)).join(", ")}. Write the key instead of ${quote(name)}`;

/**
 * Sets the parent of a category. An empty cell keeps it, because the column is mainly for variants
 * and sizes.
 */
function setParent({ type, draft }: Entry, text: string, { entries }: CellContext): CellProblem {
  if (text === "") return undefined;
  const found = entries.findAny(type, text);
  if (found.length > 1) return ambiguousCategory(text, found);
  return setOptional(draft, "parent", found[0]?.draft.key ?? text);
}
