import type { Runtime } from "./runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { BusinessContents } from "../store/holdings.ts";

/**
 * Removes a business with everything that is its own: catalog, keys, endpoints, events and what is owed of them, bookings. Its
 * partners are told nothing: their endpoints go with it.
 */
export function deleteBusiness(rt: Runtime, { id }: BusinessRow): BusinessContents {
  return rt.tx(() => {
    const taken = rt.store.holdings.count(id);
    rt.store.businesses.delete(id);
    return taken;
  });
}
