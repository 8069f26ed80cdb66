import { getAvailability } from "./handlers/availability/availability.ts";
import { AVAILABILITY_PARAMETERS } from "./handlers/availability/availability-parameters.ts";
import * as lists from "./handlers/catalog/list-routes.ts";
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

const pathBelowBusiness = (path: string) => `/v1/businesses/:slug/${path}`;

const UNCHANGED = "Not modified: the ETag in If-None-Match still matches.";
const CACHEABLE = ["ETag", "Cache-Control", "Vary"] as const;
const UNPAGED = ["Cache-Control"] as const;
const PAGED = ["Cache-Control", "Link"] as const;

const ok = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: UNPAGED },
});

/** The route of one of the six catalog lists. */
const list = (
  operationId: string,
  route: lists.ListRoute,
  body: SchemaName,
  summary: string,
  description: string,
): RouteDefinition => ({
  operationId,
  group: "Catalog",
  method: "GET",
  path: pathBelowBusiness(route.path),
  scope: "services.read",
  summary,
  description,
  query: route.parameters,
  responses: {
    200: {
      description: "The list, or one page of it.",
      body,
      headers: [...CACHEABLE, "Catalog-Version", "Link"],
    },
    304: { description: UNCHANGED, headers: [...CACHEABLE, "Catalog-Version"] },
  },
  handle: ({ listHandler }) => listHandler(route),
});

/** Every route of the API; the OpenAPI document is generated from this table. */
export const ROUTES: readonly RouteDefinition[] = [
  list(
    "getMenu",
    lists.menuList,
    "Menu",
    "Get the menu",
    "Menu items with prices and images, menu categories and modifier groups. `limit` pages the items.",
  ),
  list(
    "listServices",
    lists.servicesList,
    "ServiceList",
    "List services",
    "Services with prices; variants and add-ons on request.",
  ),
  list(
    "listServiceCategories",
    lists.serviceCategoriesList,
    "ServiceCategoryList",
    "List service categories",
    "Active service categories in display order.",
  ),
  list(
    "listStaff",
    lists.staffList,
    "StaffList",
    "List staff",
    "Public staff profiles with the services that each person performs.",
  ),
  list(
    "listPromotions",
    lists.promotionsList,
    "PromotionList",
    "List promotions",
    "Active promotions with their benefits and schedules.",
  ),
  list(
    "listPublicEvents",
    lists.eventsList,
    "PublicEventList",
    "List public events",
    "Published events with ticket types, prices and availability.",
  ),
  {
    operationId: "getAvailability",
    group: "Availability",
    method: "GET",
    path: pathBelowBusiness("availability"),
    scope: "public",
    summary: "Get available slots",
    description:
      "Send `serviceIds` (or `serviceId`, `variantIds`) for a visit, or `partySize` for a table. No key is needed, except for `explain`, which requires a key of the business with the scope services.read.",
    query: AVAILABILITY_PARAMETERS,
    responses: {
      200: {
        description:
          "The slots by day, the days with a slot count, or the next slots, as requested with `granularity`.",
        body: "Availability",
        headers: CACHEABLE,
      },
      304: { description: UNCHANGED, headers: CACHEABLE },
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
      "query_too_large",
      "validation_failed",
      "busy",
    ],
    handle: ({ rt, accessControl, scanQueue }) => getAvailability(rt, accessControl, scanQueue),
  },
  {
    operationId: "listChanges",
    group: "Changes",
    method: "GET",
    path: pathBelowBusiness("changes"),
    scope: "webhooks.read",
    summary: "List events in the feed",
    description:
      "Returns the same envelopes, with the same IDs, that webhooks carry. Pass `page.nextCursor` as `after` to continue; without `after` the feed starts at the oldest event that is kept. After a 410, read every list again.",
    query: CHANGES_PARAMETERS,
    responses: ok("Events, oldest first.", "EventList"),
    problems: ["cursor_expired", "conflict"],
    handle: ({ rt, longPolls, accessControl }) => listChanges(rt, longPolls, accessControl),
  },
  {
    operationId: "listEndpoints",
    group: "Webhooks",
    method: "GET",
    path: pathBelowBusiness("webhooks"),
    scope: "webhooks.read",
    summary: "List webhook endpoints",
    description:
      "A secret key lists every endpoint of its business; a restricted key lists those that it created.",
    query: ENDPOINTS_PARAMETERS,
    responses: {
      200: {
        description: "Webhook endpoints, oldest first.",
        body: "EndpointList",
        headers: PAGED,
      },
    },
    handle: ({ rt }) => listEndpoints(rt),
  },
  {
    operationId: "createEndpoint",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("webhooks"),
    scope: "webhooks.write",
    summary: "Create a webhook endpoint",
    requestHeaders: ["Idempotency-Key"],
    body: { schema: createEndpointBody },
    responses: {
      201: {
        description: "The new endpoint with its signing secret.",
        body: "CreatedEndpointResponse",
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
    path: pathBelowBusiness("webhooks/:id"),
    scope: "webhooks.read",
    summary: "Get a webhook endpoint",
    responses: ok("The endpoint.", "EndpointResponse"),
    handle: ({ rt }) => getEndpoint(rt),
  },
  {
    operationId: "updateEndpoint",
    group: "Webhooks",
    method: "PATCH",
    path: pathBelowBusiness("webhooks/:id"),
    scope: "webhooks.write",
    summary: "Update a webhook endpoint",
    description: "Omitted fields keep their value.",
    body: { schema: updateEndpointBody },
    responses: ok("The updated endpoint.", "EndpointResponse"),
    problems: ["unsafe_url"],
    handle: ({ rt }) => handleUpdateEndpoint(rt),
  },
  {
    operationId: "deleteEndpoint",
    group: "Webhooks",
    method: "DELETE",
    path: pathBelowBusiness("webhooks/:id"),
    scope: "webhooks.write",
    summary: "Delete a webhook endpoint",
    description: "Pending deliveries are cancelled.",
    responses: { 204: { description: "Deleted." } },
    handle: ({ rt }) => handleDeleteEndpoint(rt),
  },
  {
    operationId: "testEndpoint",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("webhooks/:id/test"),
    scope: "webhooks.write",
    summary: "Send a test event",
    description:
      "Sends a signed event to the endpoint immediately, even if the endpoint is disabled. Test events do not appear in /changes and do not affect failure counts.",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: ok(
      "The result of the test. Returns 200 even if the receiver failed; see `ok`.",
      "EndpointTestResponse",
    ),
    problems: ["shutting_down"],
    handle: ({ rt, sendOnce, longPolls }) => handleTestEndpoint(rt, sendOnce, longPolls.closing),
  },
  {
    operationId: "enableEndpoint",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("webhooks/:id/enable"),
    scope: "webhooks.write",
    summary: "Enable a webhook endpoint",
    description:
      "Enables a disabled endpoint and sends the events that it missed, as requested with `recover`. An endpoint that the business disabled (`disabledReason` is `manual`) can only be enabled by the business.",
    body: { schema: actions.enableEndpointBody, isOptional: true },
    responses: ok(
      "The enabled endpoint, with the number of recovered deliveries.",
      "EnabledEndpointResponse",
    ),
    handle: ({ rt }) => actions.handleEnableEndpoint(rt),
  },
  {
    operationId: "rotateEndpointSecret",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("webhooks/:id/rotate-secret"),
    scope: "webhooks.write",
    summary: "Rotate the signing secret",
    description:
      "Creates a new signing secret. Events are signed with both secrets until the overlap ends.",
    body: { schema: actions.rotateSecretBody, isOptional: true },
    responses: ok("The endpoint with its new signing secret.", "SecretRotationResponse"),
    handle: ({ rt }) => actions.handleRotateEndpointSecret(rt),
  },
  {
    operationId: "finishSecretRotation",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("webhooks/:id/rotate-secret/finish"),
    scope: "webhooks.write",
    summary: "Finish the rotation of the signing secret",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: ok("The endpoint.", "FinishedSecretRotationResponse"),
    handle: ({ rt }) => actions.handleFinishSecretRotation(rt),
  },
  {
    operationId: "listDeliveries",
    group: "Webhooks",
    method: "GET",
    path: pathBelowBusiness("webhooks/:id/deliveries"),
    scope: "webhooks.read",
    summary: "List deliveries of a webhook endpoint",
    query: DELIVERIES_PARAMETERS,
    responses: {
      200: {
        description: "Deliveries, newest first, 100 per page by default.",
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
    path: pathBelowBusiness("deliveries/:id"),
    scope: "webhooks.read",
    summary: "Get a delivery",
    responses: ok("The delivery with its attempts.", "DeliveryResponse"),
    handle: ({ rt }) => getDelivery(rt),
  },
  {
    operationId: "redeliverDelivery",
    group: "Webhooks",
    method: "POST",
    path: pathBelowBusiness("deliveries/:id/redeliver"),
    scope: "webhooks.write",
    summary: "Send a delivery again",
    body: { schema: actions.emptyBody, isOptional: true },
    responses: {
      202: {
        description: "The delivery, scheduled to be sent again.",
        body: "DeliveryResponse",
        headers: UNPAGED,
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
    summary: "Check that the process is running",
    responses: ok("The process is running.", "Health"),
    handle: () => getHealth,
  },
  {
    operationId: "getReadiness",
    group: "Operations",
    method: "GET",
    path: "/readyz",
    scope: "open",
    summary: "Check that the server is ready",
    responses: ok("The server is ready to accept requests.", "Health"),
    problems: ["shutting_down"],
    handle: ({ rt, longPolls }) => getReadiness(rt, () => longPolls.closing.aborted),
  },
  {
    operationId: "getMetrics",
    group: "Operations",
    method: "GET",
    path: "/metrics",
    scope: "open",
    summary: "Get metrics",
    description:
      "Open to requests from the server itself; all others must send the metrics token as a bearer token.",
    responses: {
      200: {
        description: "Metrics in the Prometheus text format.",
        body: "text/plain",
        headers: UNPAGED,
      },
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
    summary: "Get the OpenAPI document",
    responses: {
      200: {
        description: "The OpenAPI 3.1 document of this API.",
        body: "OpenApi",
        headers: [...CACHEABLE, "X-Content-Type-Options"],
      },
      304: { description: UNCHANGED, headers: [...CACHEABLE, "X-Content-Type-Options"] },
    },
    handle: ({ rt }) => getOpenApi(rt, ROUTES),
  },
];
