import { createBookingStore } from "./bookings.ts";
import { createBusinessStore } from "./businesses.ts";
import { createCatalogStore } from "./catalog.ts";
import type { Db } from "./database.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createDeliveryMoveStore } from "./delivery-moves.ts";
import { createDueStore } from "./due.ts";
import { createEndpointSecretStore } from "./endpoint-secrets.ts";
import { createEndpointStore } from "./endpoints.ts";
import { createEventStore } from "./events.ts";
import { createFeedStore } from "./feed.ts";
import { createFileStore } from "./file.ts";
import { createHoldingStore } from "./holdings.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createKeyStore } from "./keys.ts";
import { createLiveStore } from "./live.ts";
import { createOrderStore } from "./orders.ts";
import { createRateCountStore } from "./rate-counts.ts";
import { createReservationStore } from "./reservations.ts";
import { createRetentionStore } from "./retention.ts";
import { createSoldOutStore } from "./sold-out.ts";
import { createTallyStore } from "./tallies.ts";
import { createTicketStore } from "./tickets.ts";
import { createTimeOffStore } from "./time-off.ts";

export type Store = ReturnType<typeof createStore>;

/** All of the SQL, prepared once a connection. */
export const createStore = (db: Db) => ({
  businesses: createBusinessStore(db),
  catalog: createCatalogStore(db),
  idempotency: createIdempotencyStore(db),
  keys: createKeyStore(db),
  endpoints: createEndpointStore(db),
  events: createEventStore(db),
  feed: createFeedStore(db),
  file: createFileStore(db),
  holdings: createHoldingStore(db),
  deliveries: createDeliveryStore(db),
  deliveryMoves: createDeliveryMoveStore(db),
  due: createDueStore(db),
  endpointSecrets: createEndpointSecretStore(db),
  rateCounts: createRateCountStore(db),
  retention: createRetentionStore(db),
  tallies: createTallyStore(db),
  live: createLiveStore(db),
  soldOut: createSoldOutStore(db),
  bookings: createBookingStore(db),
  reservations: createReservationStore(db),
  timeOff: createTimeOffStore(db),
  orders: createOrderStore(db),
  tickets: createTicketStore(db),
});
