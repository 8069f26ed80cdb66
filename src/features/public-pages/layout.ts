import type { Described, Presented } from "../../domain/catalog/common.ts";

// Puts objects below the headings of their categories, and divides long lists into pages.

type Category = Described & { parent: string | null };

/** An object below a category. An object can be below several categories. */
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
  const groups = new Map<string, Doc[]>(categories.map(({ key }) => [key, []]));
  const rest: Doc[] = [];
  for (const doc of docs) {
    const lists = keysOf(doc)
      .map((key) => groups.get(key))
      .filter((list) => list !== undefined);
    if (lists.length === 0) rest.push(doc);
    for (const list of lists) list.push(doc);
  }
  return [
    ...inOrder(categories).flatMap((group) =>
      (groups.get(group.key) ?? []).map((doc) => ({ doc, group })),
    ),
    ...rest.map((doc) => ({ doc, group: null })),
  ];
}

/** Returns the categories as a page lists them: each parent, then its children in their order. */
function inOrder<Group extends Category>(categories: readonly Group[]): Group[] {
  const keys = new Set(categories.map(({ key }) => key));
  const children = Map.groupBy(categories, ({ parent }) =>
    parent !== null && keys.has(parent) ? parent : null,
  );
  const below = (parent: string | null): Group[] =>
    (children.get(parent) ?? []).flatMap((group) => [group, ...below(group.key)]);
  return below(null);
}

/** The largest sum of weights of a page, which keeps it below 150 KB. */
const MAX_WEIGHT = 70_000;
const MAX_ENTRIES = 150;

/** Divides entries into pages, each with at least one entry. There is at least one page. */
export function divideIntoPages<T>(
  entries: readonly T[],
  weightOf: (entry: T) => number,
  maxWeight = MAX_WEIGHT,
): T[][] {
  const pages: T[][] = [[]];
  let weight = 0;
  for (const entry of entries) {
    let page = pages.at(-1) as T[];
    const added = weightOf(entry);
    if (page.length > 0 && (weight + added > maxWeight || page.length === MAX_ENTRIES)) {
      pages.push((page = []));
      weight = 0;
    }
    page.push(entry);
    weight += added;
  }
  return pages;
}

/**
 * The characters of HTML and JSON-LD that an entry takes besides its texts, and those of one of its
 * parts. Each text is in both.
 */
const ENTRY_FRAME = 400;
const PART_FRAME = 120;

/** The most parts of an object, such as sizes, that a page shows. */
export const MAX_PARTS = 30;

type Part = { name: string };
type Weighed = Presented & { name: string; description?: string | null } & {
  sizes?: readonly Part[];
  variants?: readonly Part[];
  ticketTypes?: readonly Part[];
};

/** Returns about how many characters an object takes on a page. */
export function weigh(doc: Weighed): number {
  const translated = Object.values(doc.translations).map((texts) =>
    lengthOf(Object.values(texts).join("")),
  );
  const own = lengthOf(doc.name) + lengthOf(doc.description ?? "");
  const parts = (doc.sizes ?? doc.variants ?? doc.ticketTypes ?? []).slice(0, MAX_PARTS);
  const ofParts = parts.reduce((sum, { name }) => sum + PART_FRAME + 2 * lengthOf(name), 0);
  return ENTRY_FRAME + 2 * Math.max(own, ...translated) + ofParts;
}

/** Returns the length of a text in UTF-8 after its special characters are escaped. */
const lengthOf = (text: string): number =>
  Buffer.byteLength(text) + 5 * (text.match(/[<>&"']/g) ?? []).length;
