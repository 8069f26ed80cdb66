import type { StoredCatalog } from "../../domain/public/public-context.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";

/** Loads a business's catalog as it is stored now. */
export function loadCatalog(rt: Runtime, business: BusinessRow): StoredCatalog {
  const marks = rt.store.catalog.listVersions(business.id);
  const unmarked = { version: business.catalogVersion, updatedAt: business.updatedAt };
  return {
    catalog: {
      business: business.doc,
      schedule: business.schedule,
      objects: rt.store.catalog.listObjects(business.id),
    },
    versionOf: (id) => marks.get(id) ?? unmarked,
    stock: {
      soldOut: rt.store.soldOut.list(business.id),
      taken: rt.store.orders.countHeldTickets(business.id),
    },
  };
}
