import type { ObjectVersion, StoredCatalog, Stock } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import type { CatalogObjects, Kind } from "../../domain/catalog/catalog.ts";
import { countPrices, type PriceCount } from "../../domain/catalog/change/repricing.ts";

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
  const unmarked = versionOfUnmarked(business);
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

/** Returns the version of an object without a stored one: it changed with the business. */
const versionOfUnmarked = (business: BusinessRow): ObjectVersion => ({
  version: business.catalogVersion,
  updatedAt: business.updatedAt,
});

/** Returns the tickets taken; those of a ticket type are counted when they are asked for. */
export const readTakenTickets = (rt: Runtime, businessId: string): Stock["taken"] => ({
  get: (ticketTypeId) => rt.store.takenTickets.countOf(businessId, ticketTypeId),
});

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
  const unmarked = versionOfUnmarked(business);
  return {
    catalog: { business: business.doc, schedule: business.schedule, objects },
    versionOf: (id) => rt.store.objectVersions.find(business.id, id) ?? unmarked,
    sortOrderOf: (id) => rt.store.catalog.findSortOrder(id) ?? 0,
    stock,
  };
}

/** The kinds of objects that each have a price of their own. */
const PRICED_KINDS = ["service", "addon", "menu_item"] as const;

/**
 * Returns the number of prices in the catalog of a business. If `stored` is a part of the catalog,
 * `atLeast` counts the objects with a price, which spares most edits the reading of all objects.
 */
export function pricesIn(rt: Runtime, businessId: string, stored: StoredCatalog): PriceCount {
  const { objects } = stored.catalog;
  const isWhole = stored.others === undefined;
  if (isWhole) return { atLeast: () => 0, count: () => countPrices(Object.values(objects).flat()) };
  return {
    atLeast: () => {
      const counts = rt.store.catalog.countByKind(businessId);
      return PRICED_KINDS.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
    },
    count: () => countPrices(rt.store.catalog.iterateDocs(businessId)),
  };
}
