import { limitedSuggestions } from "../../domain/catalog/catalog-issue.ts";
import { toSlugLetters } from "../../domain/catalog/file/public-events.ts";
import { quote } from "../../domain/text.ts";
import { findSpoiledText } from "./cells.ts";
import type { Entries, Entry, Wanted } from "./entries.ts";
import {
  CSV_KINDS,
  CSV_PARENTS,
  CSV_PART_TYPES,
  CSV_TYPES,
  type CsvColumn,
  type CsvIssue,
  type CsvPartType,
  type CsvRow,
  type CsvTable,
  type CsvType,
  csvNoun,
  isPartType,
} from "./format.ts";
import { typeOf } from "./headings.ts";

export type MatchedRow = { row: CsvRow; entry: Entry };

export const cellOf = ({ cells }: CsvRow, column: CsvColumn): string | undefined =>
  cells[column]?.trim() || undefined;

export const titleOf = ({ titles }: CsvTable, column: CsvColumn): string =>
  quote(titles[column] ?? column);

/** The reason why a row describes no object. */
class RowError extends Error {
  readonly code: string;
  readonly column: CsvColumn | undefined;

  constructor(code: string, detail: string, column?: CsvColumn) {
    super(detail);
    this.code = code;
    this.column = column;
  }
}

/**
 * Finds the object that each row describes, by its key or else by its name, and adds an entry for
 * each new object.
 * @param where the place in messages, such as `in salon-aurora`
 */
export function matchRows(
  table: CsvTable,
  entries: Entries,
  where: string,
): { matched: MatchedRow[]; issues: CsvIssue[] } {
  const matcher = new RowMatcher(table, entries, where);
  const matched: MatchedRow[] = [];
  const issues: CsvIssue[] = [];
  const attempt = (row: CsvRow, step: () => void): void => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const { code, column, message: detail } = error;
      issues.push({ row: row.row, code, detail, ...(column && { column }) });
    }
  };
  const typed: { row: CsvRow; type: CsvType | undefined }[] = [];
  for (const row of table.rows)
    attempt(row, () => typed.push({ row, type: matcher.readType(row) }));
  // Variants and sizes are matched last, because their parents may be in later rows. A row without
  // a type can be a variant or size.
  const isMatchedLast = ({ type }: { type: CsvType | undefined }) =>
    type === undefined || isPartType(type);
  for (const { row, type } of [
    ...typed.filter((row) => !isMatchedLast(row)),
    ...typed.filter(isMatchedLast),
  ])
    attempt(row, () => matched.push({ row, entry: matcher.match(row, type) }));
  return { matched, issues };
}

/** Finds or adds the entry of one row. The methods throw RowError. */
class RowMatcher {
  readonly #table: CsvTable;
  readonly #entries: Entries;
  /** The place in messages, such as `in salon-aurora`. */
  readonly #where: string;
  readonly #suggest = limitedSuggestions();

  constructor(table: CsvTable, entries: Entries, where: string) {
    this.#table = table;
    this.#entries = entries;
    this.#where = where;
  }

  /** Returns the type of a row, or undefined if its cell is empty. */
  readType(row: CsvRow): CsvType | undefined {
    const given = cellOf(row, "type");
    const type = given === undefined ? undefined : typeOf(given);
    if (given === undefined || type !== undefined) return type;
    throw new RowError(
      "invalid_value",
      `${this.#title("type")} must be one of ${CSV_TYPES.join(", ")}, not ${quote(given)}.${this.#suggest(given, CSV_TYPES)}`,
    );
  }

  /** Returns the entry of a row, and records the row's number in the entry. */
  match(row: CsvRow, type: CsvType | undefined): Entry {
    const wanted = { key: cellOf(row, "key"), name: cellOf(row, "name") };
    if (wanted.key === undefined && wanted.name === undefined)
      throw new RowError("missing_field", `${this.#title("name")} is missing.`, "name");
    const parent = type !== undefined && isPartType(type) ? this.#findParent(row, type) : undefined;
    const found =
      type === undefined
        ? this.#findUntyped(row, wanted)
        : this.#entries.find(type, wanted, parent);
    const [entry, ...others] = found;
    if (others.length > 0) throw this.#ambiguous(wanted, found);
    if (entry?.row !== undefined)
      throw new RowError("repeated_key", `The ${nameOf(entry)} is listed twice.${inRow(entry)}`);
    const matched = entry ?? this.#addNew(type, wanted, parent);
    matched.row = row.row;
    return matched;
  }

  /**
   * Returns the parent of a variant or size, or undefined if the cell for the parent is empty and a
   * known part has the key or name of the row.
   */
  #findParent(row: CsvRow, type: CsvPartType): Entry | undefined {
    const text = cellOf(row, "parent_key");
    const noun = csvNoun(CSV_PARENTS[type].type);
    if (text === undefined) {
      const wanted = { key: cellOf(row, "key"), name: cellOf(row, "name") };
      if (this.#entries.find(type, wanted).length > 0) return undefined;
      throw new RowError(
        "missing_field",
        `${this.#title("parent_key")} is missing: a ${type} belongs to a ${noun}.`,
        "parent_key",
      );
    }
    const found = this.#entries.findAny(CSV_PARENTS[type].type, text);
    if (found.length > 1) throw this.#ambiguous({ name: text }, found);
    if (found[0] !== undefined) return found[0];
    const keys = this.#entries.namesToSuggest([CSV_PARENTS[type].type], "key");
    throw new RowError(
      "unknown_reference",
      `There is no ${noun} ${quote(text)} ${this.#where}.${this.#suggest(text, keys)}`,
    );
  }

  /**
   * Finds the entries of a row without a type: first in the parent that the row names, then among
   * objects, then among variants and sizes, which often share names with each other.
   */
  #findUntyped(row: CsvRow, wanted: Wanted): readonly Entry[] {
    const parentKey = cellOf(row, "parent_key");
    const within = (type: CsvPartType): readonly Entry[] =>
      parentKey === undefined
        ? []
        : this.#entries
            .findAny(CSV_PARENTS[type].type, parentKey)
            .flatMap((parent) => this.#entries.find(type, wanted, parent));
    // A row with a price or duration is no category.
    const hasPriceOrDuration = (cellOf(row, "price") ?? cellOf(row, "duration_min")) !== undefined;
    const kinds = CSV_KINDS.filter((kind) => !hasPriceOrDuration || !kind.endsWith("category"));
    const searches = [
      () => CSV_PART_TYPES.flatMap(within),
      () => kinds.flatMap((kind) => this.#entries.find(kind, wanted)),
      () => CSV_PART_TYPES.flatMap((type) => this.#entries.find(type, wanted)),
    ];
    for (const search of searches) {
      const found = search();
      if (found.length > 0) return found;
    }
    return [];
  }

  #ambiguous({ key, name }: Wanted, found: readonly Entry[]): RowError {
    const missingColumn = found.some(({ parent }) => parent !== undefined) ? "parent_key" : "type";
    const column = key === undefined ? "key" : missingColumn;
    const named = found.slice(0, 5).map(nameOf).join(", ");
    return new RowError(
      "invalid_value",
      `${quote(key ?? name ?? "")} can be any of ${found.length} objects (${named}). Fill in ${this.#title(column)}.`,
    );
  }

  #addNew(type: CsvType | undefined, wanted: Wanted, parent: Entry | undefined): Entry {
    for (const column of ["key", "name"] as const) {
      const spoiled = findSpoiledText(wanted[column] ?? "", { isProse: false });
      if (spoiled !== undefined)
        throw new RowError("invalid_value", `${this.#title(column)} ${spoiled}.`);
    }
    const { name } = wanted;
    const text = wanted.key ?? name ?? "";
    if (type === undefined) {
      const known = this.#entries.namesToSuggest(
        CSV_KINDS,
        wanted.key === undefined ? "name" : "key",
      );
      throw new RowError(
        "unknown_reference",
        `There is no service, dish, add-on or category ${quote(text)} ${this.#where}.${this.#suggest(text, known)} To create it, fill in ${this.#title("type")}.`,
      );
    }
    const key = wanted.key ?? (toSlugLetters(text) || text);
    this.#assertNotTaken(type, { ...wanted, key }, parent, {
      isKeyDerived: wanted.key === undefined,
    });
    const draft = { key, ...(name !== undefined && { name }) };
    if (parent !== undefined && isPartType(type)) {
      const { list } = CSV_PARENTS[type];
      parent.draft[list] = [...((parent.draft[list] ?? []) as object[]), draft];
    }
    return this.#entries.add({ type, draft, parts: [], formerKeys: [], ...(parent && { parent }) });
  }

  /**
   * Refuses a new object with the key or name of another object: the row is most likely a mistake.
   * @param options `isKeyDerived`: whether the key was made from the name
   */
  #assertNotTaken(
    type: CsvType,
    { key, name }: Wanted,
    parent: Entry | undefined,
    { isKeyDerived }: { isKeyDerived: boolean },
  ): void {
    // No object matches the row so far. If the row has a key, another object may still have the
    // row's name. If the key was made from the name, another object may have that key.
    const [owner] = this.#entries.find(type, isKeyDerived ? { key } : { name }, parent);
    // Two new objects may share a name.
    if (owner === undefined || (!isKeyDerived && owner.exported === undefined)) return;
    throw new RowError(
      "repeated_key",
      isKeyDerived
        ? `There is no ${csvNoun(type)} named ${quote(name ?? "")} ${this.#where}, and the key ${quote(key ?? "")} made from the name belongs to ${quote(String(owner.draft.name))}.${inRow(owner)} Fill in ${this.#title("key")}.`
        : `There is no ${csvNoun(type)} with the key ${quote(key ?? "")} ${this.#where}, but ${quote(name ?? "")} has the key ${quote(owner.draft.key)}. Write that key, or another name.`,
    );
  }

  #title(column: CsvColumn): string {
    return titleOf(this.#table, column);
  }
}

/** Returns a text such as `variant 'long' of 'cut'`. */
const nameOf = ({ type, draft, parent }: Entry): string =>
  `${csvNoun(type)} ${quote(draft.key)}${parent === undefined ? "" : ` of ${quote(parent.draft.key)}`}`;

const inRow = ({ row }: Entry): string => (row === undefined ? "" : ` The other is in row ${row}.`);
