import { createBusinessStore } from "./businesses.ts";
import { createCatalogStore } from "./catalog.ts";
import type { Db } from "./database.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createEndpointStore } from "./endpoints.ts";
import { createEventStore } from "./events.ts";
import { createKeyStore } from "./keys.ts";
import { createSoldOutStore } from "./sold-out.ts";

export type Store = ReturnType<typeof createStore>;

/** All of the SQL, prepared once a connection. */
export const createStore = (db: Db) => ({
  businesses: createBusinessStore(db),
  catalog: createCatalogStore(db),
  keys: createKeyStore(db),
  endpoints: createEndpointStore(db),
  events: createEventStore(db),
  deliveries: createDeliveryStore(db),
  soldOut: createSoldOutStore(db),
});
