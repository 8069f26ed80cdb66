import { readFileSync } from "node:fs";
import type { z } from "zod";
import { readCatalog } from "../../src/domain/catalog/source/read-catalog.ts";
import { formatInstant } from "../../src/domain/local-time.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { diffCatalog, sortOrdersAfter } from "../../src/domain/catalog/change/diff.ts";
import {
  createEnvelope,
  type Envelope,
  type EventDraft,
} from "../../src/domain/events/envelope.ts";
import type { EventType } from "../../src/domain/events/event-types.ts";
import { catalogChangedEvent } from "../../src/domain/public/catalog-changed.ts";
import { toPublicProfile } from "../../src/domain/public/profile.ts";
import { toPublicCatalog } from "../../src/domain/public/public-catalog.ts";
import { type StoredCatalog, localise } from "../../src/domain/public/public-context.ts";
import type { key as publicKey } from "../../src/domain/public/schemas/key.ts";
import type { availability } from "../../src/domain/public/schemas/availability.ts";
import type * as webhook from "../../src/domain/public/schemas/webhook.ts";
import { sampleEvent } from "../../src/domain/webhooks/sample-event.ts";
import { bookingExamples, CUSTOMER } from "./booking-examples.ts";
import { PATH_OBJECTS } from "./path-objects.ts";
import type { PublicBooking } from "../../src/domain/bookings/booking.ts";
import type { PublicReservation } from "../../src/domain/bookings/reservation.ts";
import { loadFromFeatures } from "../../src/features/index.ts";

// The examples show a business with all kinds of objects, and come from the code that builds
// responses.

const NOW = Date.parse("2026-11-20T12:00:00Z");
const CATALOG_VERSION = 1842;
const EVENT_ID = PATH_OBJECTS.changes.id;
const TEST_EVENT_ID = EVENT_ID.replace("_", "_test_");
const ENDPOINT_ID = PATH_OBJECTS.webhooks.id;
/**
 * Type of the event in the examples of deliveries and tests. It was chosen because its envelope is
 * short.
 */
const EXAMPLE_TYPE = "catalog.changed";
const SECRET = "whsec_ExampleExampleExampleExampleExampleExample12";

const text = readFileSync(new URL("example-business.yaml", import.meta.url), "utf8");
const { catalog } = readCatalog([{ name: "example-business.yaml", text }], {
  current: () => null,
  prune: false,
  seedingAt: NOW,
});
const { slug, name, timezone, currency, locale } = catalog.business;
const at = (minutes: number): string => formatInstant(NOW + minutes * 60_000, timezone);

const sortOrderOf = sortOrdersAfter(
  diffCatalog(null, catalog, () => 0),
  () => 0,
);
const stored: StoredCatalog = {
  catalog,
  versionOf: () => ({ version: CATALOG_VERSION, updatedAt: NOW }),
  sortOrderOf,
  stock: { soldOut: new Map(), taken: new Map() },
};
const publicCatalog = toPublicCatalog(stored, NOW);
// Services with most variants and add-ons make the best examples, so they come first.
publicCatalog.services.sort(
  (a, b) => b.variants.length + b.addonLinks.length - a.variants.length - a.addonLinks.length,
);

const business = { id: businessId(slug), slug, name, timezone };
const meta = { business, currency, locale, catalogVersion: CATALOG_VERSION };
const page = { hasMore: false, nextCursor: null };

const listResponse = (data: unknown) => ({
  data: localise(data, locale, false),
  page,
  meta: { ...meta, validUntil: null },
});
const listOfFirst = (objects: readonly unknown[]) => listResponse(objects.slice(0, 1));
const pageResponse = (data: unknown, meta: object = {}) => ({
  data: [data],
  page,
  meta: { business, ...meta },
});

/** Returns an example of an event; undefined if no part of deskbell publishes the event. */
export function exampleEvent(type: EventType): Envelope | undefined {
  const draft = type === "catalog.changed" ? catalogChanged() : findSample(type);
  return draft && createEnvelope(draft, EVENT_ID, NOW, business);
}

function catalogChanged(): EventDraft {
  const ids = publicCatalog.services.slice(0, 1).map(({ id }) => id);
  const refetch = { route: "services" as const, ids, idsComplete: true };
  return catalogChangedEvent(
    [{ flag: "services", route: "services", refetch }],
    [business.id, ...ids],
    { from: CATALOG_VERSION - 1, to: CATALOG_VERSION },
  );
}

const otherVisits = await loadFromFeatures("visits");

function findSample(type: EventType): EventDraft | undefined {
  const state = { catalog, publicCatalog, at: NOW };
  return (
    sampleEvent(type, state, { id: business.id, catalogVersion: CATALOG_VERSION }, NOW) ??
    otherVisits.flatMap((kind) => kind.sampleEvent(type, state, NOW) ?? [])[0]
  );
}

function objectOf(type: EventType): object {
  const object = findSample(type)?.object as object | undefined;
  if (object === undefined) throw new Error(`The generated business has no object for ${type}.`);
  return object;
}

const endpoint: z.infer<typeof webhook.endpoint> = {
  id: ENDPOINT_ID,
  name: "website",
  url: "https://partner.example/hooks/deskbell",
  events: ["service.updated", "catalog.changed"],
  status: "ACTIVE",
  disabledReason: null,
  state: {
    code: "WORKING",
    reason: null,
    since: at(0),
    until: null,
    text: "Events are sent as they occur. The receiver last accepted one at 2026-11-20 07:00.",
  },
  failingSince: null,
  heldUntil: null,
  heldReason: null,
  lastDeliveredAt: at(0),
  lastStatusCode: null,
  lastError: null,
  oldSecretEndsAt: null,
  version: 1,
  createdAt: at(0),
  updatedAt: at(0),
};

const delivery: z.infer<typeof webhook.deliveryWithAttempts> = {
  id: PATH_OBJECTS.deliveries.id,
  endpointId: ENDPOINT_ID,
  eventId: EVENT_ID,
  eventType: EXAMPLE_TYPE,
  sequence: 977,
  status: "DELIVERED",
  attemptCount: 1,
  nextAttemptAt: null,
  heldUntil: null,
  waiting: null,
  lastStatusCode: 200,
  lastError: null,
  createdAt: at(0),
  deliveredAt: at(0),
  request: {
    url: endpoint.url,
    headers: {
      "X-Service-Event": EXAMPLE_TYPE,
      "X-Service-Signature": "t=1795176000,v1=HIDDEN",
    },
    body: JSON.stringify(exampleEvent(EXAMPLE_TYPE)),
  },
  attempts: [
    {
      n: 1,
      at: at(0),
      durationMs: 29,
      statusCode: 200,
      outcome: "responded",
      error: null,
      responseText: "",
    },
  ],
};
const { attempts: _attempts, request: _request, ...listedDelivery } = delivery;

const key: z.infer<typeof publicKey> = {
  id: "key_06gzfjm44t8c9kf1ccbxp7rfg",
  kind: "RESTRICTED",
  name: "website",
  prefix: "deskbell_rk_",
  last4: "x7Qa",
  business,
  scopes: ["services.read", "webhooks.write"],
  eventGroups: ["catalog"],
  ownVisitsOnly: false,
  customerReferences: false,
  cidrs: [],
  limits: {
    requests: [
      { window: "per-minute", seconds: 60, limit: 60, used: 3, resetSeconds: 12 },
      { window: "per-hour", seconds: 3600, limit: 1000, used: 41, resetSeconds: 2402 },
    ],
    endpoints: { limit: 10, used: 1 },
    holds: { limit: 20, used: 0 },
    bookingsDay: { limit: 200, used: 14 },
    redeliveries: { limit: 10_000, used: 0 },
  },
  visitorLimits: { holds: 3, bookingsDay: 10, ordersDay: 10 },
  createdAt: at(0),
  expiresAt: null,
  selfRotation: true,
  guestMail: false,
  rotation: null,
  usesOldSecret: false,
  lastDeliveryAt: at(0),
};

const [service] = publicCatalog.services;
const times = { startsAt: at(24 * 60), endsAt: at(25 * 60) };
const slots: z.infer<typeof availability> = {
  timezone,
  from: "2026-11-21",
  to: "2026-11-21",
  durationMin: 60,
  priceCents: service?.priceCents ?? 0,
  currency,
  days: [
    {
      date: "2026-11-21",
      state: "OPEN",
      slots: [
        {
          ...times,
          spotsLeft: 1,
          spotsTotal: 1,
          segments: [
            {
              serviceId: service?.id ?? "",
              variantId: null,
              addons: [],
              staffId: service?.staffIds[0] ?? null,
              staffIds: service?.staffIds ?? [],
              ...times,
              priceCents: service?.priceCents ?? 0,
            },
          ],
        },
      ],
    },
  ],
  nextAvailable: times.startsAt,
};

const endpointTest: z.infer<typeof webhook.endpointTest> = {
  ok: true,
  url: endpoint.url,
  outcome: "responded",
  address: "203.0.113.9",
  statusCode: 200,
  error: null,
  durationMs: 29,
  responseText: "",
  eventType: EXAMPLE_TYPE,
  headers: { "X-Service-Event": EXAMPLE_TYPE, "X-Service-Test": "true" },
  body: JSON.stringify({ ...exampleEvent(EXAMPLE_TYPE), id: TEST_EVENT_ID }),
};

const partsOfFeatures = await loadFromFeatures("openapi");
const generated = {
  objectOf,
  eventOf: exampleEvent,
  pageOf: pageResponse,
  customer: CUSTOMER,
  endpoint,
  delivery: listedDelivery,
};

/** Examples of requests by operation ID, and of responses by schema name. */
const EXAMPLES: { [name: string]: unknown } = {
  ...bookingExamples(
    {
      booking: objectOf("booking.created") as PublicBooking,
      reservation: objectOf("reservation.created") as PublicReservation,
      holdExpiresAt: at(5),
    },
    pageResponse,
  ),
  ...Object.assign({}, ...partsOfFeatures.map(({ examples }) => examples(generated))),
  createEndpoint: { name: endpoint.name, url: endpoint.url, events: endpoint.events },
  updateEndpoint: { events: ["catalog.changed"] },
  testEndpoint: { eventType: EXAMPLE_TYPE },
  enableEndpoint: { recover: "all" },
  rotateEndpointSecret: { overlapSeconds: 3600 },
  finishSecretRotation: {},
  redeliverDelivery: {},
  redeliverDeliveries: { status: "EXHAUSTED", since: at(0) },
  rotateKey: { overlapSeconds: 3600 },
  ServiceList: listOfFirst(publicCatalog.services),
  ServiceCategoryList: listOfFirst(publicCatalog.serviceCategories),
  StaffList: listOfFirst(publicCatalog.staff),
  PromotionList: listOfFirst(publicCatalog.promotions),
  PublicEventList: listOfFirst(publicCatalog.events),
  Menu: listResponse({
    categories: publicCatalog.menuCategories.slice(0, 1),
    items: publicCatalog.menuItems.slice(0, 1),
    modifierGroups: publicCatalog.modifierGroups.slice(0, 1),
  }),
  BusinessProfileResponse: {
    data: toPublicProfile(stored),
    meta: { ...meta, validUntil: null },
  },
  Availability: { data: slots, meta },
  EventList: pageResponse(exampleEvent("service_category.updated"), {
    sequences: [977],
    lastSequence: 977,
  }),
  EventResponse: {
    data: exampleEvent("service_category.updated"),
    meta: { business, sequence: 977, cursor: "r5.Zm9vYmFyYm" },
  },
  EndpointList: pageResponse(endpoint),
  DeliveryList: pageResponse(listedDelivery),
  EndpointResponse: { data: endpoint },
  CreatedEndpointResponse: { data: { ...endpoint, secret: SECRET } },
  SecretRotationResponse: {
    data: { ...endpoint, secret: SECRET, oldSecretEndsAt: at(60) },
  },
  FinishedSecretRotationResponse: { data: { ...endpoint, finished: true } },
  EnabledEndpointResponse: { data: { ...endpoint, recovered: 3, cancelled: 0 } },
  EndpointTestResponse: { data: endpointTest },
  DeliveryResponse: { data: delivery },
  "redeliverDelivery DeliveryResponse": { data: { ...delivery, request: null } },
  "redeliverPartnerDelivery DeliveryResponse": { data: { ...delivery, request: null } },
  RedeliveryResponse: {
    data: { count: 120, disabledEndpointIds: [] },
    page,
    meta: { business },
  },
  KeyResponse: { data: key },
  RotatedKeyResponse: {
    data: {
      ...key,
      rotation: { at: at(60), by: "KEY", oldSecretEndsAt: at(120) },
      usesOldSecret: true,
      secret: "deskbell_rk_ExampleExampleExampleExampleExampleExam",
      oldSecretEndsAt: at(120),
    },
  },
  Health: { status: "ok" },
  OpenApi: { openapi: "3.1.1" },
};

export const exampleOf = (name: string): unknown => EXAMPLES[name];
