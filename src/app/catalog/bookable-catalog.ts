import type { Catalog, StaffDoc } from "../../domain/catalog/catalog.ts";
import { findById } from "../../domain/catalog/doc-index.ts";
import { type DocList, replaceDocs } from "../../domain/catalog/doc-list.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { getLists, type Lists, objectsOf, readAhead, readLists } from "./cached-lists.ts";

/** The kinds of objects that decide what can be booked. */
const BOOKABLE_KINDS = ["service", "addon", "resource", "staff", "area", "table"] as const;

const MAX_CACHED_CATALOGS = 16;

type Cached = { revision: number; catalog: Catalog };
const caches = new WeakMap<Runtime, BoundedCache<string, Cached>>();

const cacheOf = (rt: Runtime): BoundedCache<string, Cached> =>
  caches.getOrInsertComputed(rt, () => new BoundedCache(MAX_CACHED_CATALOGS));

/**
 * Returns what can be booked, with time off from both the catalog file and the CLI, and caches the
 * result until the business changes. Call it outside of a transaction: data that a transaction
 * reads may be rolled back.
 */
export function getBookableCatalog(rt: Runtime, business: BusinessRow): Catalog {
  const cached = findCached(rt, business);
  if (cached !== undefined) return cached;
  const catalog = toBookable(rt, business, getLists(rt, business, BOOKABLE_KINDS));
  // The catalog is not cached if another connection wrote while its tables were read.
  if (rt.store.businesses.findById(business.id)?.revision === business.revision)
    cacheOf(rt).set(business.id, { revision: business.revision, catalog });
  return catalog;
}

/** Returns what `getBookableCatalog` returns, without caching it, for use in a transaction. */
export const readBookableCatalog = (rt: Runtime, business: BusinessRow): Catalog =>
  findCached(rt, business) ?? toBookable(rt, business, readLists(rt, business, BOOKABLE_KINDS));

/**
 * Reads what `getBookableCatalog` needs, in steps between which other requests are served. Returns
 * undefined if there is nothing to wait for.
 */
export const prepareBookableCatalog = (
  rt: Runtime,
  business: BusinessRow,
): Promise<void> | undefined => readAhead(rt, business, BOOKABLE_KINDS);

function findCached(rt: Runtime, { id, revision }: BusinessRow): Catalog | undefined {
  const cached = cacheOf(rt).get(id);
  return cached?.revision === revision ? cached.catalog : undefined;
}

const toBookable = (rt: Runtime, { id, doc, schedule }: BusinessRow, lists: Lists): Catalog => ({
  business: doc,
  schedule,
  objects: { ...objectsOf(lists), staff: lists.staff ? withTimeOff(rt, id, lists.staff) : [] },
});

/** Returns the staff with the time off that was entered by command. */
function withTimeOff(rt: Runtime, businessId: string, list: DocList<"staff">): StaffDoc[] {
  const rows = rt.store.timeOff.listEndingAfter(businessId, rt.now());
  const replacements = new Map<StaffDoc, StaffDoc>();
  for (const [staffId, spans] of Map.groupBy(rows, (row) => row.staffId)) {
    const person = findById("staff", list.businessSlug, list.docs, staffId);
    if (person === undefined) continue;
    const added = spans.map(({ startsAt, endsAt }) => ({ from: startsAt, to: endsAt }));
    replacements.set(person, { ...person, timeOff: [...person.timeOff, ...added] });
  }
  return replaceDocs(list, replacements);
}
