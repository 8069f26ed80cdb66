import type { DocOf, Kind } from "../../domain/catalog/catalog.ts";
import { type DocList, firstAfter } from "../../domain/catalog/doc-list.ts";
import { findById } from "../../domain/catalog/doc-index.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { lazy } from "../../domain/lazy.ts";
import {
  createPublicForms,
  kindsAffecting,
  type ListName,
  type PublicForms,
} from "../../domain/public/public-catalog.ts";
import {
  createPublicContext,
  isVisible,
  type PublicContext,
  type Stock,
  type StoredCatalog,
} from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { readTakenTickets, versionOfNewObjects } from "./load-catalog.ts";
import { getLists, type Lists, objectsOf } from "./cached-lists.ts";

/** The position of an object in a list. The next page starts after the last object of a page. */
export type ListPosition = { sortOrder: number; id: string };

/** Which visible objects of a kind to select, in order. */
export type ListCriteria<K extends Kind> = {
  matches?: ((doc: DocOf[K]) => boolean) | undefined;
  ids?: readonly string[] | undefined;
  after?: ListPosition | undefined;
  limit?: number | undefined;
};

export type Selected<K extends Kind> = {
  docs: DocOf[K][];
  /** The position of the last selected object if more objects follow it; otherwise null. */
  last: ListPosition | null;
};

/**
 * What partners see of a catalog at an instant. An object gets its public form only when a response
 * contains it, because a page has few objects of a large list.
 */
export type CatalogView = {
  business: BusinessRow;
  stored: StoredCatalog;
  context: PublicContext;
  forms: PublicForms;
  select: <K extends Kind>(kind: K, criteria: ListCriteria<K>) => Selected<K>;
};

/**
 * Calls `read` with a view of a catalog and its business in the same state, and returns its result.
 * The view takes several statements to read, so `read` is called again if another connection has
 * committed in between.
 * @param lists the lists that `read` selects from
 * @param getBusiness throws if the business was deleted
 * @param getAsOf returns the instant of the view (epoch ms)
 */
export function readCatalogView<T>(
  rt: Runtime,
  lists: readonly ListName[],
  getBusiness: () => BusinessRow,
  getAsOf: (business: BusinessRow) => number,
  read: (view: CatalogView) => T,
): T {
  const kinds = kindsAffecting(lists);
  for (let business = getBusiness(); ;) {
    const cached = getLists(rt, business, kinds);
    const result = read(createCatalogView(rt, business, cached, kinds, getAsOf(business)));
    const after = getBusiness();
    if (after.revision === business.revision && after.stockRevision === business.stockRevision)
      return result;
    business = after;
  }
}

function createCatalogView(
  rt: Runtime,
  business: BusinessRow,
  lists: Lists,
  kinds: readonly Kind[],
  asOf: number,
): CatalogView {
  const { slug, doc, schedule } = business;
  const sortOrders = new Map<string, number>();
  const stored: StoredCatalog = {
    catalog: { business: doc, schedule, objects: objectsOf(lists) },
    versionOf: createVersionReader(rt, business),
    sortOrderOf: (id) => sortOrders.get(id) ?? 0,
    stock: readStock(rt, business, kinds),
  };
  const context = createPublicContext(stored, asOf);
  return {
    business,
    stored,
    context,
    forms: createPublicForms(context),
    select(kind, { matches = () => true, ids, after, limit = Infinity }) {
      const docs: DocOf[typeof kind][] = [];
      const list = lists[kind];
      let last: ListPosition | null = null;
      if (list === undefined) return { docs, last };
      const wanted =
        ids && new Set(ids.map((id) => findById<typeof kind>(kind, slug, list.docs, id)));
      for (let i = after ? startAfter(list, after) : 0; i < list.docs.length; i++) {
        const one = list.docs[i] as DocOf[typeof kind];
        if ((wanted && !wanted.has(one)) || !isVisible(kind, one) || !matches(one)) continue;
        if (docs.length === limit) return { docs, last };
        last = { sortOrder: list.sortOrders[i] as number, id: objectId(kind, slug, one) };
        sortOrders.set(last.id, last.sortOrder);
        docs.push(one);
      }
      return { docs, last: null };
    },
  };
}

/**
 * Returns the index of the first object after a position. The object at the position may have been
 * deleted since.
 */
function startAfter<K extends Kind>(
  { kind, businessSlug, docs, sortOrders }: DocList<K>,
  { sortOrder, id }: ListPosition,
): number {
  const next = firstAfter(sortOrders, sortOrder);
  // If an object now has the sort order of the position, its ID decides whether it comes after the
  // position.
  const isSame = sortOrders[next - 1] === sortOrder;
  const isAfter = () => objectId(kind, businessSlug, docs[next - 1] as DocOf[K]) > id;
  return isSame && isAfter() ? next - 1 : next;
}

/**
 * Number of versions that are read one by one. After that, all versions are read at once, which is
 * faster for a whole list.
 */
const MAX_SINGLE_READS = 500;

function createVersionReader(rt: Runtime, business: BusinessRow): StoredCatalog["versionOf"] {
  const { id: businessId } = business;
  const versionOfNew = versionOfNewObjects(business);
  const versions = lazy(() => rt.store.objectVersions.list(businessId));
  let reads = 0;
  return (id) => {
    reads += 1;
    const version =
      reads > MAX_SINGLE_READS ? versions().get(id) : rt.store.objectVersions.find(businessId, id);
    // An object that partners have not seen yet has no stored version.
    return version ?? versionOfNew;
  };
}

/** Returns the stock that objects of these kinds show. */
const readStock = (rt: Runtime, { id }: BusinessRow, kinds: readonly Kind[]): Stock => ({
  soldOut: kinds.includes("menu_item") ? rt.store.soldOut.list(id) : new Map(),
  taken: readTakenTickets(rt, id),
});
