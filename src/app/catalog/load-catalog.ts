import type { ObjectVersion, StoredCatalog, Stock } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import type { CatalogObjects } from "../../domain/catalog/catalog.ts";
import { countPrices, type PriceCount } from "../../domain/catalog/change/repricing.ts";

/** Returns the stored catalog of a business. */
export function loadCatalog(rt: Runtime, business: BusinessRow): StoredCatalog {
  const versions = rt.store.objectVersions.list(business.id);
  const sortOrders = rt.store.catalog.listSortOrders(business.id);
  const versionOfNew = versionOfNewObjects(business);
  return {
    catalog: {
      business: business.doc,
      schedule: business.schedule,
      objects: rt.store.catalog.listObjects(business.id),
    },
    versionOf: (id) => versions.get(id) ?? versionOfNew,
    sortOrderOf: (id) => sortOrders.get(id) ?? 0,
    stock: {
      soldOut: rt.store.soldOut.list(business.id),
      taken: rt.store.takenTickets.count(business.id),
    },
  };
}

/**
 * Returns the version of objects that have no stored version, because partners have not seen them
 * yet. The update that publishes an object stores a version for it.
 */
export const versionOfNewObjects = (business: BusinessRow): ObjectVersion => ({
  version: business.catalogVersion,
  updatedAt: business.updatedAt,
});

/**
 * Returns the tickets taken. `get` counts the tickets of one type in the database each time it is
 * called.
 */
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
  const versionOfNew = versionOfNewObjects(business);
  return {
    catalog: { business: business.doc, schedule: business.schedule, objects },
    versionOf: (id) => rt.store.objectVersions.find(business.id, id) ?? versionOfNew,
    sortOrderOf: (id) => rt.store.catalog.findSortOrder(id) ?? 0,
    stock,
  };
}

/** The kinds of objects that each have a price of their own. */
const PRICED_KINDS = ["service", "addon", "menu_item"] as const;

/**
 * Returns functions that count the prices in the catalog of a business. If the whole catalog is
 * loaded, `count` reads nothing from the database. It is then fast, so `exceeds` does not count and
 * always returns false. If only a part of the catalog is loaded, `count` has to read all objects
 * from the database. `exceeds` then tells whether more objects than a limit have a price, and stops
 * counting at the limit.
 */
export function pricesIn(rt: Runtime, businessId: string, stored: StoredCatalog): PriceCount {
  const { objects } = stored.catalog;
  const isWhole = stored.others === undefined;
  if (isWhole)
    return { exceeds: () => false, count: () => countPrices(Object.values(objects).flat()) };
  return {
    exceeds: (limit) => {
      let count = 0;
      for (const kind of PRICED_KINDS)
        count += rt.store.catalog.countUpTo(businessId, kind, limit + 1 - count);
      return count > limit;
    },
    count: () => countPrices(rt.store.catalog.iterateDocs(businessId)),
  };
}
