import type { z } from "zod";
import { readCatalog } from "../../app/catalog/read-catalog.ts";
import { formatInstant } from "../../domain/business-time.ts";
import { businessId } from "../../domain/catalog/object-id.ts";
import { generateCatalog } from "../../app/sample-catalog/generate.ts";
import { type Envelope, createEnvelope } from "../../domain/envelope.ts";
import type { EventType } from "../../domain/event-types.ts";
import { toPublicCatalog } from "../../domain/public/public-catalog.ts";
import type { availability } from "../../domain/public/schemas/availability.ts";
import type * as webhook from "../../domain/public/schemas/webhook.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import { localise } from "../handlers/catalog/localisation.ts";

// The examples are of a generated business, and go through the code that answers.

const NOW = Date.parse("2026-11-20T12:00:00Z");
const VERSION = 1842;
const EVENT_ID = "evt_06gzfjm44jbnv0hmhvsz14qc5";
const ENDPOINT_ID = "whe_06gzfjm44t8c9kf1ccbxp7rfb";
const SECRET = "whsec_ExampleExampleExampleExampleExampleExample12";

const text = JSON.stringify(generateCatalog(120, 8));
const { catalog } = readCatalog([{ name: "example.json", text }], {
  current: () => null,
  prune: false,
  seedingAt: NOW,
});
const { slug, name, timezone, currency, locale } = catalog.business;
const at = (minutes: number): string => formatInstant(NOW + minutes * 60_000, timezone);

const day = { soldOut: new Map(), taken: new Map() };
const shown = toPublicCatalog(
  { catalog, versionOf: () => ({ version: VERSION, updatedAt: NOW }), stock: day },
  NOW,
);
// What has parts shows more.
shown.services.sort(
  (a, b) => b.variants.length + b.addonLinks.length - a.variants.length - a.addonLinks.length,
);

const business = { id: businessId(slug), slug, name, timezone };
const meta = { business, currency, locale, catalogVersion: VERSION };
const page = { hasMore: false, nextCursor: null };

const list = (data: unknown) => ({
  data: localise(data, locale, false),
  page,
  meta: { ...meta, validUntil: null },
});
const listOfFirst = (objects: readonly unknown[]) => list(objects.slice(0, 1));
const ofBusiness = (data: unknown) => ({ data: [data], page, meta: { business } });

/** An event of a type, as it is sent. */
export function exampleEvent(type: EventType): Envelope {
  const draft = sampleEvent(
    type,
    { catalog, publicCatalog: shown },
    { id: business.id, catalogVersion: VERSION },
    NOW,
  );
  if (draft === undefined)
    throw new Error(`The generated business has nothing that ${type} could tell of.`);
  return createEnvelope(draft, EVENT_ID, NOW, business);
}

const endpoint: z.infer<typeof webhook.endpoint> = {
  id: ENDPOINT_ID,
  name: "website",
  url: "https://partner.example/hooks/deskbell",
  events: ["service.updated", "catalog.changed"],
  status: "ACTIVE",
  disabledReason: null,
  failingSince: null,
  createdAt: at(0),
  updatedAt: at(0),
};

const delivery: z.infer<typeof webhook.deliveryWithAttempts> = {
  id: "dlv_06gzfjm44t8c9kf1ccbxp7rfc",
  endpointId: ENDPOINT_ID,
  eventId: EVENT_ID,
  eventType: "service.updated",
  sequence: 977,
  status: "DELIVERED",
  attemptCount: 1,
  nextAttemptAt: null,
  lastStatusCode: 200,
  lastError: null,
  createdAt: at(0),
  deliveredAt: at(0),
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
const { attempts: _notListed, ...listedDelivery } = delivery;

const [service] = shown.services;
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

const endpointTest = (): z.infer<typeof webhook.endpointTest> => ({
  ok: true,
  url: endpoint.url,
  outcome: "responded",
  address: "203.0.113.9",
  statusCode: 200,
  error: null,
  durationMs: 29,
  responseText: "",
  eventType: "service.updated",
  headers: { "X-Service-Event": "service.updated", "X-Service-Test": "true" },
  body: JSON.stringify(exampleEvent("catalog.changed")),
});

/** Of bodies, by the route's id; of answers, by the schema's name. */
const EXAMPLES: { [name: string]: () => unknown } = {
  createEndpoint: () => ({ name: endpoint.name, url: endpoint.url, events: endpoint.events }),
  updateEndpoint: () => ({ events: ["catalog.changed"] }),
  testEndpoint: () => ({}),
  enableEndpoint: () => ({ recover: "all" }),
  rotateSecret: () => ({ overlapSeconds: 3600 }),
  finishRotation: () => ({}),
  redeliver: () => ({}),
  ServiceList: () => listOfFirst(shown.services),
  ServiceCategoryList: () => listOfFirst(shown.serviceCategories),
  StaffList: () => listOfFirst(shown.staff),
  PromotionList: () => listOfFirst(shown.promotions),
  PublicEventList: () => listOfFirst(shown.events),
  Menu: () =>
    list({
      categories: shown.menuCategories.slice(0, 1),
      items: shown.menuItems.slice(0, 1),
      modifierGroups: shown.modifierGroups.slice(0, 1),
    }),
  Availability: () => ({ data: slots, meta }),
  EventList: () => ofBusiness(exampleEvent("service_category.updated")),
  EndpointList: () => ofBusiness(endpoint),
  DeliveryList: () => ofBusiness(listedDelivery),
  EndpointAnswer: () => ({ data: endpoint }),
  NewEndpointAnswer: () => ({ data: { ...endpoint, secret: SECRET } }),
  RotationAnswer: () => ({ data: { ...endpoint, secret: SECRET, oldSecretEndsAt: at(60) } }),
  FinishedRotationAnswer: () => ({ data: { ...endpoint, finished: true } }),
  EnabledEndpointAnswer: () => ({ data: { ...endpoint, recovered: 3, cancelled: 0 } }),
  EndpointTestAnswer: () => ({ data: endpointTest() }),
  DeliveryAnswer: () => ({ data: delivery }),
  Health: () => ({ status: "ok" }),
  OpenApi: () => ({ openapi: "3.1.1" }),
};

export const exampleOf = (name: string): unknown => EXAMPLES[name]?.();
