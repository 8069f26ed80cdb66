import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import type { Holdings } from "../store/holdings.ts";

/**
 * Removes a business with everything that is its own: catalog, keys, endpoints, events and what is owed of them, bookings. Its
 * partners are told nothing: their endpoints go with it.
 */
export function removeBusiness(rt: Runtime, { id }: BusinessRow): Holdings {
  return rt.tx(() => {
    const taken = rt.store.holdings.of(id);
    rt.store.businesses.remove(id);
    return taken;
  });
}
