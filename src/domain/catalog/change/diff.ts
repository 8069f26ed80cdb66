import { ALL_KINDS, type Catalog, type DocOf, type Kind } from "../catalog.ts";
import { objectId } from "../object-id.ts";
import { deepEqual, differingFields, shallowEqual } from "../../equality.ts";

/**
 * The distance between the values of `sortOrder` of two new objects, which leaves room for ten
 * inserts in a row at the same place.
 */
const STEP = 1024;
/** Clients may keep a `sortOrder` in 32 bits. */
const MAX_SORT_ORDER = 2 ** 31 - 1;

/**
 * `moved`: the indexes of stored objects whose place among the other stored objects has changed.
 */
export type SortOrders = { sortOrders: number[]; moved: Set<number> };

/**
 * Returns a `sortOrder` for each object of a list, ascending. Most objects keep their number: a
 * delete changes no other object, and a move changes only the moved one. All objects are renumbered
 * only if too few numbers are left at the start, between two neighbours or at the end.
 * @param stored the present `sortOrder` of each object, in the new order; null for a new object
 */
export function assignSortOrders(stored: readonly (number | null)[]): SortOrders {
  const keptIndexes = longestAscending(stored);
  const moved = new Set(stored.keys().filter((i) => stored[i] !== null && !keptIndexes.has(i)));
  const sortOrders = fillGaps(stored, keptIndexes) ?? stored.map((_, i) => (i + 1) * STEP);
  return { sortOrders, moved };
}

/**
 * Returns the kept numbers and one for each new or moved object; null if a gap is too small or a
 * number too large.
 */
function fillGaps(
  stored: readonly (number | null)[],
  keptIndexes: ReadonlySet<number>,
): number[] | null {
  const filled: number[] = [];
  // The objects from `start` up to, but not including, `end` need numbers between `low` and `high`.
  let low = 0;
  for (let start = 0; start < stored.length;) {
    let end = start;
    while (end < stored.length && !keptIndexes.has(end)) end++;
    const count = end - start;
    const high = stored[end] ?? low + STEP * (count + 1);
    if (high - low <= count || high > MAX_SORT_ORDER) return null;
    for (let i = 1; i <= count; i++)
      filled.push(low + Math.floor(((high - low) * i) / (count + 1)));
    if (end < stored.length) filled.push(high);
    low = high;
    start = end + 1;
  }
  return filled;
}

/** Returns the indexes of a longest ascending subsequence: patience sorting, O(n log n). */
function longestAscending(values: readonly (number | null)[]): Set<number> {
  // `ends[n]` is the index of the lowest value that ends an ascending subsequence of length n + 1.
  const ends: number[] = [];
  /**
   * `previous[i]` is the index of the value before value `i`, in the longest ascending subsequence
   * that ends with value `i`.
   */
  const previous: (number | undefined)[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  });
  const indexes = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) indexes.add(index);
  return indexes;
}

export type ObjectChange = {
  action: "create" | "update" | "delete" | "move";
  kind: Kind;
  id: string;
  key: string;
  name: string;
  /** The fields that an update changes; empty for any other action. */
  fields: string[];
  /**
   * The prices that an update changes; empty for any other action. `part` is the key of the
   * variant, add-on, service, size, option or ticket type; "" for the object itself.
   */
  prices: { part: string; from: number | null; to: number | null }[];
  /** The fields whose local edits this change overwrites. */
  overwrittenEdits: string[];
};

/** The rows that a change affects. Each row has an object and its `sortOrder`. */
export type RowChanges = {
  written: {
    id: string;
    kind: Kind;
    key: string;
    sortOrder: number;
    doc: DocOf[Kind];
    isNew: boolean;
  }[];
  /** Rows with a new `sortOrder` and an unchanged object. */
  renumbered: { id: string; sortOrder: number }[];
  /** The IDs of objects. */
  removed: string[];
};

export type CatalogDiff = {
  changes: ObjectChange[];
  rows: RowChanges;
  /**
   * The changed fields of the business, and the changed sections of its schedule (hours, closures,
   * ...).
   */
  businessFields: string[];
};

export type SortOrderOf = (objectId: string) => number;

/**
 * Returns the difference between two catalogs. Objects are compared by ID, so that a renamed key is
 * an update.
 */
export function diffCatalog(
  before: Catalog | null,
  after: Catalog,
  sortOrderOf: SortOrderOf,
): CatalogDiff {
  const diff: CatalogDiff = {
    changes: [],
    rows: { written: [], renumbered: [], removed: [] },
    businessFields: [
      ...differingFields(before?.business ?? {}, after.business),
      ...differingFields(before?.schedule ?? {}, after.schedule),
    ],
  };
  for (const kind of ALL_KINDS) diffKind(kind, before, after, sortOrderOf, diff);
  return diff;
}

/**
 * Returns the `sortOrder` of each object after the change.
 * @param before returns the stored `sortOrder` of an object
 */
export function sortOrdersAfter({ rows }: CatalogDiff, before: SortOrderOf): SortOrderOf {
  const changed = new Map(
    [...rows.written, ...rows.renumbered].map(({ id, sortOrder }) => [id, sortOrder]),
  );
  return (id) => changed.get(id) ?? before(id);
}

export const isEmptyDiff = ({ changes, businessFields }: CatalogDiff): boolean =>
  changes.length === 0 && businessFields.length === 0;

/** Adds the changes of the objects of one kind, and the rows with them, to a diff. */
function diffKind(
  kind: Kind,
  before: Catalog | null,
  after: Catalog,
  sortOrderOf: SortOrderOf,
  { changes, rows }: CatalogDiff,
): void {
  // `normaliseCatalog` reuses the stored documents that a file does not change, so comparing
  // references is enough here.
  if (shallowEqual(before?.objects[kind] ?? [], after.objects[kind])) return;
  const { slug } = after.business;
  const unmatched = new Map(
    (before?.objects[kind] ?? []).map((doc) => [objectId(kind, slug, doc), doc]),
  );
  const addChange = (
    action: ObjectChange["action"],
    id: string,
    doc: DocOf[Kind],
    oldDoc?: DocOf[Kind],
  ) =>
    changes.push({
      action,
      kind,
      id,
      key: doc.key,
      name: doc.name,
      fields: oldDoc ? differingFields(oldDoc, doc) : [],
      prices: oldDoc ? differingPrices(oldDoc, doc) : [],
      overwrittenEdits: [],
    });
  const ids = after.objects[kind].map((doc) => objectId(kind, slug, doc));
  const stored = ids.map((id) => (unmatched.has(id) ? sortOrderOf(id) : null));
  const { sortOrders, moved } = assignSortOrders(stored);
  after.objects[kind].forEach((doc, index) => {
    const id = ids[index] as string;
    const sortOrder = sortOrders[index] as number;
    const oldDoc = unmatched.get(id);
    unmatched.delete(id);
    if (oldDoc && deepEqual(oldDoc, doc)) {
      // Renumbering a list writes rows, but is no change for the author.
      if (stored[index] !== sortOrder) rows.renumbered.push({ id, sortOrder });
      if (moved.has(index)) addChange("move", id, doc);
      return;
    }
    rows.written.push({ id, kind, key: doc.key, sortOrder, doc, isNew: !oldDoc });
    addChange(oldDoc ? "update" : "create", id, doc, oldDoc);
  });
  for (const [id, doc] of unmatched) {
    rows.removed.push(id);
    addChange("delete", id, doc);
  }
}

function differingPrices(before: DocOf[Kind], after: DocOf[Kind]): ObjectChange["prices"] {
  const from = pricesOf(before);
  const to = pricesOf(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((part) => ({ part, from: from.get(part) ?? null, to: to.get(part) ?? null }))
    .filter((price) => price.from !== price.to);
}

/**
 * Returns the prices of an object (under "") and of its parts, such as variants, by their keys. The
 * price in a link to an add-on or service is listed under the key of that add-on or service.
 */
export function pricesOf(doc: object): Map<string, number> {
  const prices = new Map<string, number>();
  const addPrice = (key: string, part: unknown) => {
    const { priceCents } = part as { priceCents?: unknown };
    if (typeof priceCents === "number") prices.set(key, priceCents);
  };
  addPrice("", doc);
  for (const list of Object.values(doc))
    if (Array.isArray(list))
      for (const part of list as { key?: string; addon?: string; service?: string }[])
        if (typeof part === "object") addPrice(part.key ?? part.addon ?? part.service ?? "", part);
  return prices;
}

export type MassDelete = { kind: Kind; deleted: number; total: number };

const MAX_DELETED_SHARE = 0.2;
/** Kinds with fewer objects are not checked: deleting one of three rooms is usually intended. */
const MIN_OBJECTS = 5;

/**
 * Returns the kinds of which a change deletes more than a fifth of the objects, which is probably a
 * mistake.
 */
export function findMassDeletes(changes: readonly ObjectChange[], before: Catalog): MassDelete[] {
  const deletes = Map.groupBy(
    changes.filter(({ action }) => action === "delete"),
    ({ kind }) => kind,
  );
  return ALL_KINDS.map((kind) => ({
    kind,
    deleted: deletes.get(kind)?.length ?? 0,
    total: before.objects[kind].length,
  })).filter(({ deleted, total }) => total >= MIN_OBJECTS && deleted > total * MAX_DELETED_SHARE);
}
