import { createAuditStore } from "./audit.ts";
import { createBacklogMoveStore, createDeliveryMoveStore } from "./webhooks/delivery-moves.ts";
import { createBookingStore, createReservationStore } from "./bookings/bookings.ts";
import { createBusinessStore } from "./businesses.ts";
import { createCatalogListStore } from "./catalog-lists.ts";
import {
  createCatalogStore,
  createEventAvailabilityStore,
  createObjectVersionStore,
  createSoldOutStore,
} from "./catalog.ts";
import { createClockStore } from "./clock.ts";
import { createDaemonStore, createNoticeStore, createRateCountStore } from "./daemon-rows.ts";
import type { Db } from "./database/db.ts";
import { memoized } from "../domain/lazy.ts";
import { createDeliveryStore } from "./webhooks/deliveries.ts";
import { createDeliverySearchStore } from "./webhooks/delivery-search.ts";
import { createDueStore } from "./webhooks/due.ts";
import {
  createEndpointSecretStore,
  createFeatureSecretStore,
  createGuestStore,
  createIdempotencyStore,
} from "./sealed.ts";
import { createEndpointStore, createHostStore } from "./webhooks/endpoints.ts";
import { createEventStore, createFeedStore } from "./events.ts";
import { createFileStore } from "./database/file.ts";
import { createHistoryStore, createRetentionStore } from "./history.ts";
import { createHoldStore } from "./bookings/holds.ts";
import { createKeySecretStore } from "./key-secrets.ts";
import { createKeyStore } from "./keys.ts";
import { createPartnerAccessStore } from "./partner-access.ts";
import {
  createKeyVisitStore,
  createTakenTicketStore,
  createVisitorStore,
} from "./bookings/booking-limits.ts";
import { createOwnRedeliveryStore } from "./webhooks/own-redeliveries.ts";
import { createTallyStore } from "./webhooks/tallies.ts";
import { createTimeOffStore } from "./bookings/time-off.ts";

const STORES = {
  audit: createAuditStore,
  businesses: createBusinessStore,
  catalog: createCatalogStore,
  catalogLists: createCatalogListStore,
  objectVersions: createObjectVersionStore,
  clock: createClockStore,
  daemon: createDaemonStore,
  idempotency: createIdempotencyStore,
  keys: createKeyStore,
  partnerAccess: createPartnerAccessStore,
  keySecrets: createKeySecretStore,
  keyVisits: createKeyVisitStore,
  endpoints: createEndpointStore,
  events: createEventStore,
  eventAvailability: createEventAvailabilityStore,
  feed: createFeedStore,
  file: createFileStore,
  guests: createGuestStore,
  history: createHistoryStore,
  holds: createHoldStore,
  hosts: createHostStore,
  deliveries: createDeliveryStore,
  deliveryMoves: createDeliveryMoveStore,
  deliverySearch: createDeliverySearchStore,
  backlogMoves: createBacklogMoveStore,
  ownRedeliveries: createOwnRedeliveryStore,
  featureSecrets: createFeatureSecretStore,
  due: createDueStore,
  endpointSecrets: createEndpointSecretStore,
  rateCounts: createRateCountStore,
  retention: createRetentionStore,
  takenTickets: createTakenTicketStore,
  tallies: createTallyStore,
  notices: createNoticeStore,
  soldOut: createSoldOutStore,
  bookings: createBookingStore,
  reservations: createReservationStore,
  timeOff: createTimeOffStore,
  visitors: createVisitorStore,
};

export type Store = { readonly [Name in keyof typeof STORES]: ReturnType<(typeof STORES)[Name]> };

/**
 * Returns the stores of the core. A store prepares its statements when it is first accessed,
 * because most commands need only a few stores.
 */
export function createStore(db: Db): Store {
  const stores = {};
  for (const [name, create] of Object.entries(STORES)) {
    const prepare = () => {
      const value = create(db);
      Object.defineProperty(stores, name, { value });
      return value;
    };
    Object.defineProperty(stores, name, { get: prepare, configurable: true, enumerable: true });
  }
  return stores as Store;
}

/** Returns a function that creates each store of a feature once, at its first use. */
export const memoizeStores = (db: Db) =>
  memoized((create: (db: Db) => unknown) => create(db)) as <T>(create: (db: Db) => T) => T;
