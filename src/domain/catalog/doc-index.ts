import { LayeredMap } from "../layered-map.ts";
import type { DocOf, Kind } from "./catalog.ts";
import { objectId } from "./object-id.ts";

// These functions find the documents of a list by key or ID. The indexes of a list are built when
// they are first used. A list of documents is never changed in place, so its indexes stay right.

type Docs<Doc> = readonly Doc[];
type Index = LayeredMap<DocOf[Kind]>;

const byKey = new WeakMap<Docs<unknown>, Index>();
const byId = new WeakMap<Docs<unknown>, Index>();

export const findByKey = <K extends Kind>(
  docs: Docs<DocOf[K]>,
  key: string,
): DocOf[K] | undefined => indexOf(byKey, docs, (doc) => doc.key).get(key) as DocOf[K] | undefined;

export const findById = <K extends Kind>(
  kind: K,
  businessSlug: string,
  docs: Docs<DocOf[K]>,
  id: string,
): DocOf[K] | undefined =>
  indexOf(byId, docs, (doc) => objectId(kind, businessSlug, doc)).get(id) as DocOf[K] | undefined;

function indexOf(
  indexes: WeakMap<Docs<unknown>, Index>,
  docs: Docs<DocOf[Kind]>,
  keyOrIdOf: (doc: DocOf[Kind]) => string,
): Index {
  const known = indexes.get(docs);
  if (known !== undefined) return known;
  const index = new LayeredMap(new Map(docs.map((doc) => [keyOrIdOf(doc), doc])));
  indexes.set(docs, index);
  return index;
}

/** Builds the indexes of a list that will be searched. */
export function buildIndexes<K extends Kind>(
  kind: K,
  businessSlug: string,
  docs: Docs<DocOf[K]>,
): void {
  // The first search of a list builds its index, even if it finds nothing.
  findByKey<K>(docs, "");
  findById(kind, businessSlug, docs, "");
}

/** `before` is undefined for a new document, and `after` for a removed one. */
export type DocChange<Doc> = { before: Doc | undefined; after: Doc | undefined };

/**
 * Derives the indexes of a changed copy of a list from those of the original list, if it has any.
 */
export function inheritIndexes<K extends Kind>(
  kind: K,
  businessSlug: string,
  original: Docs<DocOf[K]>,
  copy: Docs<DocOf[K]>,
  changes: readonly DocChange<DocOf[K]>[],
): void {
  const inherit = (
    indexes: WeakMap<Docs<unknown>, Index>,
    keyOrIdOf: (doc: DocOf[K]) => string,
  ) => {
    const index = indexes.get(original);
    if (index === undefined) return;
    const removed = changes.flatMap(({ before }) =>
      before === undefined ? [] : [[keyOrIdOf(before), undefined] as const],
    );
    const added = changes.flatMap(({ after }) =>
      after === undefined ? [] : [[keyOrIdOf(after), after] as const],
    );
    // The removals come first, because most changed documents keep their key and ID: a later
    // removal would delete the entry that was just added.
    indexes.set(copy, index.with([...removed, ...added]));
  };
  inherit(byKey, ({ key }) => key);
  inherit(byId, (doc) => objectId(kind, businessSlug, doc));
}
