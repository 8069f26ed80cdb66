import type { Described, Presented } from "../../domain/catalog/common.ts";

// Puts objects below the headings of their categories, and divides long lists into pages.

type Category = Described & { parent: string | null };

/** An object below one of its categories. An object of several categories has several entries. */
export type Entry<Doc, Group> = { doc: Doc; group: Group | null };

/**
 * Returns objects in the order of their categories, where a category stands after its parent.
 * Objects without a visible category come last.
 */
export function groupByCategory<Doc, Group extends Category>(
  docs: readonly Doc[],
  categories: readonly Group[],
  keysOf: (doc: Doc) => readonly string[],
): Entry<Doc, Group>[] {
  const docsByCategory = new Map<string, Doc[]>(categories.map(({ key }) => [key, []]));
  const uncategorised: Doc[] = [];
  for (const doc of docs) {
    const lists = keysOf(doc)
      .map((key) => docsByCategory.get(key))
      .filter((list) => list !== undefined);
    if (lists.length === 0) uncategorised.push(doc);
    for (const list of lists) list.push(doc);
  }
  return [
    ...sortCategories(categories).flatMap((group) =>
      (docsByCategory.get(group.key) ?? []).map((doc) => ({ doc, group })),
    ),
    ...uncategorised.map((doc) => ({ doc, group: null })),
  ];
}

/** Returns the categories as a page lists them: each parent, then its children in their order. */
function sortCategories<Group extends Category>(categories: readonly Group[]): Group[] {
  const keys = new Set(categories.map(({ key }) => key));
  const children = Map.groupBy(categories, ({ parent }) =>
    parent !== null && keys.has(parent) ? parent : null,
  );
  const listBelow = (parent: string | null): Group[] =>
    (children.get(parent) ?? []).flatMap((group) => [group, ...listBelow(group.key)]);
  return listBelow(null);
}

/** The largest sum of weights of a page, which keeps it below 150 KB. */
const MAX_WEIGHT = 70_000;
/** The most entries of a page. */
const MAX_ENTRIES = 150;

/** Divides entries into pages; no entries make one empty page. */
export function divideIntoPages<T>(
  entries: readonly T[],
  weightOf: (entry: T) => number,
  maxWeight = MAX_WEIGHT,
  maxEntries = MAX_ENTRIES,
): T[][] {
  const pages: T[][] = [[]];
  let weight = 0;
  for (const entry of entries) {
    let page = pages.at(-1) as T[];
    const added = weightOf(entry);
    if (page.length > 0 && (weight + added > maxWeight || page.length === maxEntries)) {
      pages.push((page = []));
      weight = 0;
    }
    page.push(entry);
    weight += added;
  }
  return pages;
}

/**
 * The characters that an entry takes on a page besides its texts. Each text counts twice, because
 * it is in the HTML and in the JSON-LD.
 */
const ENTRY_FRAME = 400;
/** The characters that a part of an entry, such as a size, takes besides its name. */
const PART_FRAME = 120;

/** The most parts of an object, such as sizes, that a page shows. */
export const MAX_PARTS = 30;

type Part = { name: string };
/** An object whose texts a page shows. */
export type Weighed = Presented & { name: string; description?: string | null } & {
  sizes?: readonly Part[];
  variants?: readonly Part[];
  ticketTypes?: readonly Part[];
};

/** The known weights: to weigh 10,000 objects takes longer than to build a page of them. */
const weights = new WeakMap<Weighed, number>();

/** Returns about how many characters an object takes on a page. */
export function weigh(doc: Weighed): number {
  const weight = weights.get(doc) ?? computeWeight(doc);
  weights.set(doc, weight);
  return weight;
}

function computeWeight(doc: Weighed): number {
  const translatedLengths = Object.values(doc.translations).map((texts) =>
    lengthOf(Object.values(texts).join("")),
  );
  const originalLength = lengthOf(doc.name) + lengthOf(doc.description ?? "");
  const parts = (doc.sizes ?? doc.variants ?? doc.ticketTypes ?? []).slice(0, MAX_PARTS);
  const partsWeight = parts.reduce((sum, { name }) => sum + PART_FRAME + 2 * lengthOf(name), 0);
  return ENTRY_FRAME + 2 * Math.max(originalLength, ...translatedLengths) + partsWeight;
}

/** The most groups of options of a dish that a page shows. */
export const MAX_OPTION_GROUPS = 10;
/** The most characters of the options of a group. */
const MAX_OPTIONS_WEIGHT = 6000;

/**
 * The characters that an option takes besides its name. The name counts once, because it is not in
 * the JSON-LD.
 */
const OPTION_FRAME = 40;

const weighOption = ({ name }: Part): number => OPTION_FRAME + lengthOf(name);

/** Returns the first options of a group, as many as a page shows. */
export function firstOptions<Option extends Part>(options: readonly Option[]): Option[] {
  let weight = 0;
  // The weight only rises, so no option is kept after the first one beyond the limit.
  return options
    .slice(0, MAX_PARTS)
    .filter((option) => (weight += weighOption(option)) <= MAX_OPTIONS_WEIGHT);
}

/** Returns about how many characters a group of options takes on a page. */
export const weighOptions = (group: Part & { options: readonly Part[] }): number =>
  weighOption(group) + firstOptions(group.options).reduce((sum, one) => sum + weighOption(one), 0);

/** Returns about how many characters short texts take on a page and in its JSON-LD. */
export const weighTexts = (texts: readonly (string | null | undefined)[]): number =>
  texts.reduce((sum, text) => sum + (text ? PART_FRAME + 2 * lengthOf(text) : 0), 0);

/** The weight up to which a list shows the description of a category. */
const MAX_HEADING = 8000;

/** Returns whether the description of a category would take too much of a page. */
export const isLongHeading = (doc: Weighed): boolean => weigh(doc) > MAX_HEADING;

/** Returns about how many characters the heading of a category takes, with the link to it. */
export const weighHeading = (doc: Weighed): number =>
  isLongHeading(doc) ? MAX_HEADING : weigh(doc) + lengthOf(doc.name);

/**
 * Returns the length of a text in UTF-8 after its special characters are escaped. An escape such as
 * `&quot;` is at most five bytes longer than its character.
 */
export const lengthOf = (text: string): number =>
  Buffer.byteLength(text) + 5 * (text.match(/[<>&"']/g) ?? []).length;
