import { getAvailability } from "./handlers/availability/availability.ts";
import { AVAILABILITY_PARAMETERS } from "./handlers/availability/availability-parameters.ts";
import * as views from "./handlers/catalog/list-routes.ts";
import { listChanges, CHANGES_PARAMETERS } from "./handlers/changes/changes.ts";
import {
  DELIVERIES_PARAMETERS,
  listDeliveries,
  handleRedeliverDelivery,
  getDelivery,
} from "./handlers/webhooks/deliveries.ts";
import * as actions from "./handlers/webhooks/endpoint-actions.ts";
import {
  handleUpdateEndpoint,
  handleDeleteEndpoint,
  updateEndpointBody,
  getEndpoint,
} from "./handlers/webhooks/endpoint.ts";
import {
  handleCreateEndpoint,
  listEndpoints,
  createEndpointBody,
  ENDPOINTS_PARAMETERS,
} from "./handlers/webhooks/endpoints.ts";
import { getOpenApi } from "./handlers/openapi.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import { getHealth, getMetrics, getReadiness } from "./handlers/operations.ts";
import type { ResponseSpec, RouteDefinition } from "./pipeline/route-definition.ts";
import { handleTestEndpoint } from "./handlers/webhooks/test-endpoint.ts";

const of = (path: string) => `/v1/businesses/:slug/${path}`;

const UNCHANGED = "What If-None-Match names is still so.";
const KEPT = ["ETag", "Cache-Control", "Vary"] as const;
const OWN = ["Cache-Control"] as const;
const PAGED = ["Cache-Control", "Link"] as const;

const ok = (about: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description: about, body, headers: OWN },
});

/** One of the catalog's six lists. */
const list = (
  id: string,
  view: views.ListRoute,
  body: SchemaName,
  summary: string,
  description?: string,
): RouteDefinition => ({
  operationId: id,
  group: "Catalog",
  method: "GET",
  path: of(view.path),
  scope: "services.read",
  summary,
  ...(description !== undefined && { description }),
  query: view.parameters,
  responses: {
    200: {
      description: "The list, or a page of it.",
      body,
      headers: [...KEPT, "Catalog-Version", "Link"],
    },
    304: { description: UNCHANGED, headers: [...KEPT, "Catalog-Version"] },
  },
  handle: ({ listHandler: serve }) => serve(view),
});

/** Every route: where it is, what a key needs for it, what it takes and gives, who answers. The API's description is made of it. */
export const ROUTES: readonly RouteDefinition[] = [
  list(
    "getMenu",
    views.menuList,
    "Menu",
    "Dishes, menu categories, prices, images",
    "`limit` pages the dishes.",
  ),
  list("listServices", views.servicesList, "ServiceList", "Services, prices, variants, add-ons"),
  list(
    "listServiceCategories",
    views.serviceCategoriesList,
    "ServiceCategoryList",
    "Service categories in their order",
  ),
  list(
    "listStaff",
    views.staffList,
    "StaffList",
    "Public staff profiles and the services they perform",
  ),
  list(
    "listPromotions",
    views.promotionsList,
    "PromotionList",
    "Active promotions, their benefits and schedules",
  ),
  list(
    "listEvents",
    views.eventsList,
    "PublicEventList",
    "Published events, ticket types, prices, what is left",
  ),
  {
    operationId: "getAvailability",
    group: "Availability",
    method: "GET",
    path: of("availability"),
    scope: "public",
    summary: "When services, or a table, can be booked",
    description:
      "Name services, or `partySize` for a table. Anybody may ask; only `explain` needs a key of the business, with the scope services.read.",
    query: AVAILABILITY_PARAMETERS,
    responses: {
      200: { description: "What `granularity` asks for.", body: "Availability", headers: KEPT },
      304: { description: UNCHANGED, headers: KEPT },
    },
    problems: [
      "missing_parameter",
      "invalid_date",
      "range_too_large",
      "business_not_found",
      "resource_not_found",
      "service_not_bookable",
      "variant_service_mismatch",
      "addon_not_linked",
      "staff_cannot_perform",
      "party_too_large",
      "validation_failed",
      "busy",
    ],
    handle: ({ rt, accessControl: gate }) => getAvailability(rt, gate),
  },
  {
    operationId: "listChanges",
    group: "Changes",
    method: "GET",
    path: of("changes"),
    scope: "webhooks.read",
    summary: "The events since a cursor",
    description:
      "The same envelopes, with the same ids, as the webhooks. Pass `page.nextCursor` as `after`; without it the feed begins with the oldest that is kept. After 410 read every list again.",
    query: CHANGES_PARAMETERS,
    responses: ok("What has happened, the oldest first.", "EventList"),
    problems: ["cursor_expired", "conflict"],
    handle: ({ rt, longPolls: room }) => listChanges(rt, room),
  },
  {
    operationId: "listEndpoints",
    group: "Webhooks",
    method: "GET",
    path: of("webhooks"),
    scope: "webhooks.read",
    summary: "The webhook endpoints that the key may see",
    description: "A secret key sees all of its business, a restricted key those that it created.",
    query: ENDPOINTS_PARAMETERS,
    responses: { 200: { description: "The oldest first.", body: "EndpointList", headers: PAGED } },
    handle: ({ rt }) => listEndpoints(rt),
  },
  {
    operationId: "createEndpoint",
    group: "Webhooks",
    method: "POST",
    path: of("webhooks"),
    scope: "webhooks.write",
    summary: "Create a signed webhook endpoint",
    requestHeaders: ["Idempotency-Key"],
    body: { schema: createEndpointBody },
    responses: {
      201: {
        description: "The endpoint, with the secret that signs what it is sent.",
        body: "NewEndpointAnswer",
        headers: ["Location", "Cache-Control"],
      },
    },
    problems: ["idempotency_key_reused", "unsafe_url"],
    handle: ({ rt }) => handleCreateEndpoint(rt),
  },
  {
    operationId: "getEndpoint",
    group: "Webhooks",
    method: "GET",
    path: of("webhooks/:id"),
    scope: "webhooks.read",
    summary: "One webhook endpoint",
    responses: ok("The endpoint.", "EndpointAnswer"),
    handle: ({ rt }) => getEndpoint(rt),
  },
  {
    operationId: "updateEndpoint",
    group: "Webhooks",
    method: "PATCH",
    path: of("webhooks/:id"),
    scope: "webhooks.write",
    summary: "Change a webhook endpoint",
    description: "What is left out stays.",
    body: { schema: updateEndpointBody },
    responses: ok("As it is now.", "EndpointAnswer"),
    problems: ["unsafe_url"],
    handle: ({ rt }) => handleUpdateEndpoint(rt),
  },
  {
    operationId: "deleteEndpoint",
    group: "Webhooks",
    method: "DELETE",
    path: of("webhooks/:id"),
    scope: "webhooks.write",
    summary: "Delete a webhook endpoint",
    description: "What it is still owed is cancelled.",
    responses: { 204: { description: "It is gone." } },
    handle: ({ rt }) => handleDeleteEndpoint(rt),
  },
  {
    operationId: "testEndpoint",
    group: "Webhooks",
    method: "POST",
    path: of("webhooks/:id/test"),
    scope: "webhooks.write",
    summary: "Send a test event now",
    description:
      "It is signed like any other, is in no feed and counts for nothing. A disabled endpoint can be tested too.",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: ok(
      "What came of it; a receiver that fails is told here, with 200.",
      "EndpointTestAnswer",
    ),
    problems: ["shutting_down"],
    handle: ({ rt, sendOnce, longPolls: room }) => handleTestEndpoint(rt, sendOnce, room.closing),
  },
  {
    operationId: "enableEndpoint",
    group: "Webhooks",
    method: "POST",
    path: of("webhooks/:id/enable"),
    scope: "webhooks.write",
    summary: "Enable an endpoint, and send what it missed",
    description:
      "One that the business itself has disabled (`disabledReason` is `manual`) only the business enables again.",
    body: { schema: actions.enableEndpointBody, isOptional: true },
    responses: ok(
      "The endpoint, and how many deliveries are on their way again.",
      "EnabledEndpointAnswer",
    ),
    handle: ({ rt }) => actions.handleEnableEndpoint(rt),
  },
  {
    operationId: "rotateSecret",
    group: "Webhooks",
    method: "POST",
    path: of("webhooks/:id/rotate-secret"),
    scope: "webhooks.write",
    summary: "Replace the signing secret",
    description: "Until the overlap is over everything is signed with both.",
    body: { schema: actions.rotateSecretBody, isOptional: true },
    responses: ok("The endpoint with its new secret.", "RotationAnswer"),
    handle: ({ rt }) => actions.handleRotateEndpointSecret(rt),
  },
  {
    operationId: "finishRotation",
    group: "Webhooks",
    method: "POST",
    path: of("webhooks/:id/rotate-secret/finish"),
    scope: "webhooks.write",
    summary: "Drop the old signing secret now",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: ok("The endpoint.", "FinishedRotationAnswer"),
    handle: ({ rt }) => actions.handleFinishSecretRotation(rt),
  },
  {
    operationId: "listDeliveries",
    group: "Webhooks",
    method: "GET",
    path: of("webhooks/:id/deliveries"),
    scope: "webhooks.read",
    summary: "What was sent to an endpoint, or is to be",
    query: DELIVERIES_PARAMETERS,
    responses: {
      200: {
        description: "The newest first, 100 at a time.",
        body: "DeliveryList",
        headers: PAGED,
      },
    },
    handle: ({ rt }) => listDeliveries(rt),
  },
  {
    operationId: "getDelivery",
    group: "Webhooks",
    method: "GET",
    path: of("deliveries/:id"),
    scope: "webhooks.read",
    summary: "One delivery with its attempts",
    responses: ok("The delivery.", "DeliveryAnswer"),
    handle: ({ rt }) => getDelivery(rt),
  },
  {
    operationId: "redeliver",
    group: "Webhooks",
    method: "POST",
    path: of("deliveries/:id/redeliver"),
    scope: "webhooks.write",
    summary: "Send a delivery once more",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: {
      202: {
        description: "It is on its way again, not yet there.",
        body: "DeliveryAnswer",
        headers: OWN,
      },
    },
    handle: ({ rt }) => handleRedeliverDelivery(rt),
  },
  {
    operationId: "getHealth",
    group: "Operations",
    method: "GET",
    path: "/healthz",
    scope: "open",
    summary: "The process runs and answers",
    responses: ok("It does.", "Health"),
    handle: () => getHealth,
  },
  {
    operationId: "getReadiness",
    group: "Operations",
    method: "GET",
    path: "/readyz",
    scope: "open",
    summary: "Requests may be sent here",
    responses: ok("They may.", "Health"),
    problems: ["shutting_down"],
    handle: ({ rt, longPolls: room }) => getReadiness(rt, () => room.closing.aborted),
  },
  {
    operationId: "getMetrics",
    group: "Operations",
    method: "GET",
    path: "/metrics",
    scope: "open",
    summary: "Counters for Prometheus",
    description: "For this machine, or whoever sends the metrics token as a bearer token.",
    responses: {
      200: { description: "Prometheus' text format.", body: "text/plain", headers: OWN },
    },
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: ({ rt, metrics }) => getMetrics(rt, metrics),
  },
  {
    operationId: "getOpenApi",
    group: "Operations",
    method: "GET",
    path: "/openapi.json",
    scope: "open",
    summary: "This description",
    responses: {
      200: {
        description: "OpenAPI 3.1.",
        body: "OpenApi",
        headers: [...KEPT, "X-Content-Type-Options"],
      },
      304: { description: UNCHANGED, headers: [...KEPT, "X-Content-Type-Options"] },
    },
    handle: ({ rt }) => getOpenApi(rt, ROUTES),
  },
];
