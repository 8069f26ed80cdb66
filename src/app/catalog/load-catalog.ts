import type { StoredCatalog, Stock } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import type { CatalogObjects, Kind, Catalog } from "../../domain/catalog/catalog.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { countPrices, type PriceCount } from "../../domain/catalog/change/repricing.ts";
import { objectId } from "../../domain/catalog/object-id.ts";

/**
 * Returns the stored catalog of a business.
 * @param kinds the kinds of objects to load; absent for all
 */
export function loadCatalog(
  rt: Runtime,
  business: BusinessRow,
  kinds?: readonly Kind[],
): StoredCatalog {
  const marks = rt.store.objectVersions.list(business.id);
  const sortOrders = rt.store.catalog.listSortOrders(business.id);
  const unmarked = { version: business.catalogVersion, updatedAt: business.updatedAt };
  return {
    catalog: {
      business: business.doc,
      schedule: business.schedule,
      objects: rt.store.catalog.listObjects(business.id, kinds),
    },
    versionOf: (id) => marks.get(id) ?? unmarked,
    sortOrderOf: (id) => sortOrders.get(id) ?? 0,
    stock: {
      soldOut: rt.store.soldOut.list(business.id),
      taken: rt.store.takenTickets.count(business.id),
    },
  };
}

/**
 * Returns a catalog that reads the version and position of an object on demand, which is faster if
 * few objects of a large catalog are needed.
 */
export function toStoredCatalog(
  rt: Runtime,
  business: BusinessRow,
  objects: CatalogObjects,
  stock: Stock,
): StoredCatalog {
  const unmarked = { version: business.catalogVersion, updatedAt: business.updatedAt };
  return {
    catalog: { business: business.doc, schedule: business.schedule, objects },
    versionOf: (id) => rt.store.objectVersions.find(business.id, id) ?? unmarked,
    sortOrderOf: (id) => rt.store.catalog.findSortOrder(id) ?? 0,
    stock,
  };
}

/** The kinds of objects that each have a price of their own. */
const PRICED_KINDS = ["service", "addon", "menu_item"] as const;

/** Returns the number of prices in the catalog of a business, of which `stored` may be a part. */
export function pricesIn(rt: Runtime, businessId: string, stored: StoredCatalog): PriceCount {
  const { objects } = stored.catalog;
  if (stored.others === undefined)
    return { atLeast: () => 0, count: () => countPrices(Object.values(objects).flat()) };
  return {
    atLeast: () => {
      const counts = rt.store.catalog.countByKind(businessId);
      return PRICED_KINDS.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
    },
    count: () => countPrices(rt.store.catalog.iterateDocs(businessId)),
  };
}

const MAX_CATALOGS = 16;

type Cached = { revision: number; catalog: Catalog };
const caches = new WeakMap<Runtime, BoundedCache<string, Cached>>();

/**
 * Returns the catalog with time off from both the catalog file and the CLI. It is cached until the
 * business changes, because reading a large catalog takes longer than most bookings. Call it
 * outside of a transaction: data that a transaction reads may be rolled back.
 */
export function getBookableCatalog(rt: Runtime, business: BusinessRow): Catalog {
  const cached = findCached(rt, business);
  if (cached !== undefined) return cached;
  const catalog = loadBookableCatalog(rt, business);
  // The catalog is not cached if another connection wrote while its tables were read.
  if (rt.store.businesses.findById(business.id)?.revision === business.revision)
    cacheOf(rt).set(business.id, { revision: business.revision, catalog });
  return catalog;
}

/** Returns what `getBookableCatalog` returns, without caching it, for use in a transaction. */
export const readBookableCatalog = (rt: Runtime, business: BusinessRow): Catalog =>
  findCached(rt, business) ?? loadBookableCatalog(rt, business);

function findCached(rt: Runtime, { id, revision }: BusinessRow): Catalog | undefined {
  const cached = cacheOf(rt).get(id);
  return cached?.revision === revision ? cached.catalog : undefined;
}

function cacheOf(rt: Runtime): BoundedCache<string, Cached> {
  const cache = caches.get(rt) ?? new BoundedCache<string, Cached>(MAX_CATALOGS);
  caches.set(rt, cache);
  return cache;
}

function loadBookableCatalog(rt: Runtime, { id, slug, doc, schedule }: BusinessRow): Catalog {
  const objects = rt.store.catalog.listObjects(id);
  const timeOffByStaff = Map.groupBy(
    rt.store.timeOff.listEndingAfter(id, rt.now()),
    ({ staffId }) => staffId,
  );
  const staff = objects.staff.map((person) => {
    const rows = timeOffByStaff.get(objectId("staff", slug, person)) ?? [];
    return {
      ...person,
      timeOff: [...person.timeOff, ...rows.map((row) => ({ from: row.startsAt, to: row.endsAt }))],
    };
  });
  return { business: doc, schedule, objects: { ...objects, staff } };
}
