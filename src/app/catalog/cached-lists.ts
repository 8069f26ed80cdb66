import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { ALL_KINDS, type CatalogObjects, type Kind } from "../../domain/catalog/catalog.ts";
import { buildIndexes } from "../../domain/catalog/doc-index.ts";
import { type DocList, type DocRow, patchList } from "../../domain/catalog/doc-list.ts";
import { ID_PREFIXES, objectId } from "../../domain/catalog/object-id.ts";
import { memoized } from "../../domain/lazy.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

// A process caches the lists of catalogs, because reading those of a large catalog takes seconds.
// An old list is patched when it is used: the store knows which objects have changed since the list
// was read, and only these are read again.

const MAX_CACHED_CATALOGS = 16;

export type Lists = { [K in Kind]?: DocList<K> };

/** A list with all changes up to a revision of its business. It may also have later changes. */
type CachedList<K extends Kind> = { revision: number; list: DocList<K> };
type CachedLists = { [K in Kind]?: CachedList<K> };

const caches = new WeakMap<Runtime, BoundedCache<string, CachedLists>>();

const cacheOf = (rt: Runtime, businessId: string): CachedLists =>
  caches
    .getOrInsertComputed(rt, () => new BoundedCache(MAX_CACHED_CATALOGS))
    .getOrInsertComputed(businessId, () => ({}));

/**
 * Returns lists of a catalog. They can be newer than `business` if another connection has just
 * written. Call it outside of a transaction: data that a transaction reads may be rolled back.
 */
export function getLists(rt: Runtime, business: BusinessRow, kinds: readonly Kind[]): Lists {
  const cached = cacheOf(rt, business.id);
  const current = updateLists(rt, business, cached, kinds);
  Object.assign(cached, current);
  return toLists(current);
}

/** Returns what `getLists` returns, without caching it, for use in a transaction. */
export const readLists = (rt: Runtime, business: BusinessRow, kinds: readonly Kind[]): Lists =>
  toLists(updateLists(rt, business, cacheOf(rt, business.id), kinds));

const toLists = (cached: CachedLists): Lists =>
  Object.fromEntries(Object.entries(cached).map(([kind, { list }]) => [kind, list])) as Lists;

/** Returns the documents of lists. A kind without a list gets an empty array. */
export const objectsOf = (lists: Lists): CatalogObjects =>
  Object.fromEntries(
    ALL_KINDS.map((kind) => [kind, lists[kind]?.docs ?? []]),
  ) as unknown as CatalogObjects;

/**
 * Returns the lists in the state of `business` or in a later state. A cached list that is too old
 * is patched if possible; otherwise the list is read as a whole. The cache stays as it is.
 */
function updateLists(
  rt: Runtime,
  business: BusinessRow,
  cached: CachedLists,
  kinds: readonly Kind[],
): CachedLists {
  const changedAfter = createChangeReader(rt, business);
  const update = <K extends Kind>(kind: K): CachedList<K> => {
    const known = cached[kind] as CachedList<K> | undefined;
    if (known !== undefined && known.revision >= business.revision) return known;
    const changed = known && changedAfter(known.revision);
    const list =
      known && changed ? patch(rt, business, known.list, changed) : read(rt, business, kind);
    return { revision: business.revision, list };
  };
  return Object.fromEntries(kinds.map((kind) => [kind, update(kind)])) as CachedLists;
}

/**
 * Returns a function that finds the IDs of the objects changed after a revision. The function
 * returns undefined if the IDs are unknown or too many.
 */
const createChangeReader = (rt: Runtime, { id, revision }: BusinessRow) =>
  memoized((after: number) => rt.store.catalogLists.findChangedAfter(id, after, revision));

function patch<K extends Kind>(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  list: DocList<K>,
  changed: ReadonlySet<string>,
): DocList<K> {
  const prefix = `${ID_PREFIXES[list.kind]}_`;
  const ids = [...changed].filter((id) => id.startsWith(prefix));
  if (ids.length === 0) return list;
  const rows = rt.store.catalogLists.listByIds<K>(businessId, ids);
  return patchList(list, new Map(ids.map((id) => [id, rows.get(id)])));
}

const read = <K extends Kind>(rt: Runtime, { id, slug }: BusinessRow, kind: K): DocList<K> =>
  listOf(kind, slug, rt.store.catalogLists.list(id, kind));

function listOf<K extends Kind>(
  kind: K,
  businessSlug: string,
  rows: readonly DocRow<K>[],
): DocList<K> {
  const docs = rows.map(({ doc }) => doc);
  // The indexes are built here, so that the first change takes little time.
  buildIndexes(kind, businessSlug, docs);
  return { kind, businessSlug, docs, sortOrders: rows.map(({ sortOrder }) => sortOrder) };
}

/** Lists that have fewer objects than this in all are read in one step. */
const MIN_OBJECTS_AHEAD = 1000;
/** The number of objects that are read in one step, which takes a few milliseconds. */
const STEP_OBJECTS = 250;

const readings = new WeakMap<Runtime, Map<string, Promise<void>>>();

/**
 * Reads the lists that `getLists` would have to read as a whole, in steps between which other
 * requests are served. Returns undefined if there is nothing to wait for.
 */
export function readAhead(
  rt: Runtime,
  business: BusinessRow,
  kinds: readonly Kind[],
): Promise<void> | undefined {
  const cached = cacheOf(rt, business.id);
  const changedAfter = createChangeReader(rt, business);
  const missing = kinds.filter((kind) => {
    const list = cached[kind];
    if (list === undefined) return true;
    return list.revision < business.revision && !changedAfter(list.revision);
  });
  if (missing.length === 0) return undefined;
  const counts = rt.store.catalog.countByKind(business.id);
  const count = missing.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
  if (count < MIN_OBJECTS_AHEAD) return undefined;
  const pending = readings.getOrInsertComputed(rt, () => new Map());
  const key = `${business.id} ${missing.join(" ")}`;
  return pending.getOrInsertComputed(key, () =>
    readInSteps(rt, business, missing).finally(() => pending.delete(key)),
  );
}

async function readInSteps(
  rt: Runtime,
  { id, slug, revision }: BusinessRow,
  kinds: readonly Kind[],
): Promise<void> {
  for (const kind of kinds) {
    // An object whose key changes meanwhile can be read twice, or not at all. The change has a
    // later revision, so the list is patched when it is used.
    const rows = new Map<string, DocRow<Kind>>();
    for (let after: string | undefined = ""; after !== undefined;) {
      await nextTurn();
      const step: DocRow<Kind>[] = rt.store.catalogLists.listNextByKey<Kind>(
        id,
        kind,
        after,
        STEP_OBJECTS,
      );
      for (const row of step) rows.set(objectId(kind, slug, row.doc), row);
      after = step.length < STEP_OBJECTS ? undefined : step.at(-1)?.doc.key;
    }
    const sorted = [...rows.values()].sort((a, b) => a.sortOrder - b.sortOrder);
    Object.assign(cacheOf(rt, id), { [kind]: { revision, list: listOf(kind, slug, sorted) } });
  }
}
