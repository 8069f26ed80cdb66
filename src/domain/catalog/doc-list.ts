import type { DocOf, Kind } from "./catalog.ts";
import { type DocChange, findById, inheritIndexes } from "./doc-index.ts";

/** The documents of one kind in order, with the `sortOrder` of each. A list is immutable. */
export type DocList<K extends Kind> = {
  kind: K;
  businessSlug: string;
  docs: DocOf[K][];
  sortOrders: readonly number[];
};

export type DocRow<K extends Kind> = { doc: DocOf[K]; sortOrder: number };

/**
 * Returns the list after a change of some objects. The change takes little more time than copying
 * the list.
 * @param rows the objects as they are now, by ID; undefined for an object that is gone
 */
export function patchList<K extends Kind>(
  list: DocList<K>,
  rows: ReadonlyMap<string, DocRow<K> | undefined>,
): DocList<K> {
  const { kind, businessSlug } = list;
  const [docs, sortOrders] = [[...list.docs], [...list.sortOrders]];
  const changes: DocChange<DocOf[K]>[] = [];
  for (const [id, row] of rows) {
    const before = findById(kind, businessSlug, list.docs, id);
    if (before === undefined && row === undefined) continue;
    changes.push({ before, after: row?.doc });
    // A new object has the place -1, where `sortOrders` has no number, so it is inserted below.
    const place = before === undefined ? -1 : docs.indexOf(before);
    if (row !== undefined && sortOrders[place] === row.sortOrder) {
      docs[place] = row.doc;
      continue;
    }
    if (place !== -1) {
      docs.splice(place, 1);
      sortOrders.splice(place, 1);
    }
    if (row === undefined) continue;
    const newPlace = firstAfter(sortOrders, row.sortOrder);
    docs.splice(newPlace, 0, row.doc);
    sortOrders.splice(newPlace, 0, row.sortOrder);
  }
  inheritIndexes(kind, businessSlug, list.docs, docs, changes);
  return { kind, businessSlug, docs, sortOrders };
}

/** Returns the documents of a list with some of them replaced. */
export function replaceDocs<K extends Kind>(
  list: DocList<K>,
  replacements: ReadonlyMap<DocOf[K], DocOf[K]>,
): DocOf[K][] {
  if (replacements.size === 0) return list.docs;
  const docs = [...list.docs];
  for (const [before, after] of replacements) docs[docs.indexOf(before)] = after;
  const changes = [...replacements].map(([before, after]) => ({ before, after }));
  inheritIndexes(list.kind, list.businessSlug, list.docs, docs, changes);
  return docs;
}

/** Returns the index of the first number above `sortOrder`, by binary search. */
export function firstAfter(sortOrders: readonly number[], sortOrder: number): number {
  let [low, high] = [0, sortOrders.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sortOrders[middle] as number) <= sortOrder) low = middle + 1;
    else high = middle;
  }
  return low;
}
