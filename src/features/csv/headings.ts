import { CURRENCY_CODES } from "../../domain/money.ts";
import type { CsvColumn, CsvType } from "./format.ts";

/** Names of the columns in English and German spreadsheets, as `normaliseTitle` returns them. */
const COLUMN_TITLES: Record<CsvColumn, readonly string[]> = {
  type: ["type", "typ", "art"],
  key: ["key", "schlüssel", "schluessel"],
  parent_key: ["parent_key", "parent", "gehört_zu", "gehoert_zu"],
  name: ["name", "title", "dish", "service", "bezeichnung", "titel", "gericht", "leistung"],
  category: ["category", "categories", "kategorie", "kategorien"],
  price: ["price", "preis", "betrag"],
  duration_min: ["duration_min", "duration", "dauer", "minutes", "minuten"],
  description: ["description", "beschreibung"],
  image: ["image", "images", "photo", "bild", "bilder", "foto"],
  status: ["status"],
  allergens: ["allergens", "allergene"],
  tags: ["tags", "schlagworte", "stichworte"],
};

/** Names of the types in English and German, as `normaliseTitle` returns them. */
const TYPE_NAMES: Record<CsvType, readonly string[]> = {
  service_category: ["service_category", "leistungskategorie"],
  addon: ["addon", "add_on", "zusatzleistung"],
  service: ["service", "leistung", "dienstleistung"],
  variant: ["variant", "variante"],
  menu_category: ["menu_category", "speisekategorie"],
  menu_item: ["menu_item", "dish", "gericht", "speise"],
  size: ["size", "größe", "grösse", "groesse"],
};

const columnsByTitle = indexNames(COLUMN_TITLES);
const typesByName = indexNames(TYPE_NAMES);

function indexNames<T extends string>(names: Record<T, readonly string[]>): ReadonlyMap<string, T> {
  const entries = Object.entries(names) as [T, readonly string[]][];
  return new Map(entries.flatMap(([id, known]) => known.map((name) => [name, id] as const)));
}

/** Returns one form for titles such as `Parent key`, `parent-key` and `PARENT_KEY`. */
export const normaliseTitle = (text: string): string => wordsIn(text).join("_");

const wordsIn = (text: string): string[] =>
  text
    .normalize("NFC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words that may follow the title of a column, besides currencies, as in `Dauer in Minuten`. */
const UNIT_WORDS: ReadonlySet<string> = new Set([
  "in",
  "euro",
  "fr",
  "sfr",
  "min",
  "mins",
  "minutes",
  "minuten",
]);

/** Returns the column that a title names; undefined if deskbell has no such column. */
export function columnOf(title: string): CsvColumn | undefined {
  const words = wordsIn(title);
  const isUnit = (word: string) =>
    UNIT_WORDS.has(word) || CURRENCY_CODES.includes(word.toUpperCase());
  // Unit words at the end of the title are dropped one by one, until the rest is a known title.
  for (let length = words.length; length > 0; length--) {
    const column = columnsByTitle.get(words.slice(0, length).join("_"));
    if (column !== undefined) return column;
    if (!isUnit(words[length - 1] ?? "")) return undefined;
  }
  return undefined;
}

/** Returns the type that a text names; undefined if deskbell has no such type. */
export const typeOf = (text: string): CsvType | undefined => typesByName.get(normaliseTitle(text));

/** All titles of columns, for suggestions. */
export const KNOWN_TITLES: readonly string[] = [...columnsByTitle.keys()];
