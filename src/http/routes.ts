import { BOOKING_ROUTES } from "./booking-routes.ts";
import { getAvailability } from "./handlers/availability/availability.ts";
import { availabilityParameters } from "./handlers/availability/availability-parameters.ts";
import * as lists from "./handlers/catalog/list-routes.ts";
import { listChanges, changesParameters } from "./handlers/changes/changes.ts";
import { getCalendar } from "./handlers/calendars.ts";
import { getOpenApi } from "./handlers/docs.ts";
import { getHealth, getMetrics, getReadiness, getServerStatus } from "./handlers/operations.ts";
import {
  deliveriesParameters,
  handleGetDelivery,
  handleRedeliverDelivery,
  listDeliveries,
} from "./handlers/webhooks/deliveries.ts";
import { emptyBody } from "./pipeline/body.ts";
import * as endpoints from "./handlers/webhooks/endpoints.ts";
import { TICKET_ROUTES } from "./ticket-routes.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import type {
  HandlerDeps,
  KeyHandler,
  OpenHandler,
  ResponseSpec,
  RouteDefinition,
  RouteSpec,
} from "./pipeline/route.ts";

const pathBelowBusiness = (path: string) => `/v1/businesses/:slug/${path}`;
export const AVAILABILITY_PATH = pathBelowBusiness("availability");

const UNCHANGED = "Not modified: the ETag in If-None-Match still matches.";
const CACHEABLE = ["ETag", "Cache-Control", "Vary"] as const;
const CATALOG_HEADERS = [...CACHEABLE, "Catalog-Version", "X-Service-Sequence"] as const;
const UNPAGED = ["Cache-Control"] as const;
const VERSIONED = ["ETag", "Cache-Control"] as const;
const PAGED = ["Cache-Control", "Link"] as const;

const EMPTY_BODY = { schema: emptyBody, isOptional: true };

const ok = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: UNPAGED },
});

const versioned = (description: string, body: SchemaName): Record<number, ResponseSpec> => ({
  200: { description, body, headers: VERSIONED },
});

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
      headers: [...CATALOG_HEADERS, "Content-Language", "Link"],
    },
    304: { description: UNCHANGED, headers: CATALOG_HEADERS },
  },
  handle: ({ listHandler }) => listHandler(route),
});

type Details<Handler> = Pick<RouteSpec, "description" | "responses"> &
  Partial<Pick<RouteSpec, "query" | "body" | "problems">> & {
    handle: (deps: HandlerDeps) => Handler;
  };

const webhookRoute = (
  method: RouteSpec["method"],
  path: string,
  operationId: string,
  summary: string,
  details: Details<KeyHandler>,
): RouteDefinition => ({
  operationId,
  group: "Webhooks",
  method,
  path: pathBelowBusiness(path),
  scope: method === "GET" ? "webhooks.read" : "webhooks.write",
  summary,
  ...details,
});

const openRoute = (
  path: string,
  operationId: string,
  summary: string,
  details: Details<OpenHandler>,
): RouteDefinition => ({
  operationId,
  group: "Operations",
  method: "GET",
  path,
  scope: "open",
  summary,
  ...details,
});

const calendarRoute = (path: string, operationId: string, description: string): RouteDefinition =>
  openRoute(path, operationId, "Get a calendar feed", {
    description,
    responses: {
      200: {
        description:
          "Visits from today to 400 days ahead as iCalendar (RFC 5545), with times in UTC, and those of the last 30 days as far as 20,000 entries allow. A session of a class is one entry.",
        body: "text/calendar",
        headers: CACHEABLE,
      },
      304: { description: UNCHANGED, headers: CACHEABLE },
    },
    problems: ["resource_not_found"],
    handle: getCalendar,
  });

/** Every route; the OpenAPI document is generated from this table. */
export const ROUTES: readonly RouteDefinition[] = [
  {
    operationId: "getBusiness",
    group: "Catalog",
    method: "GET",
    path: "/v1/businesses/:slug",
    scope: "services.read",
    summary: "Get the business",
    description:
      "Name, contact details, opening hours, languages and booking policy. `catalog.changed` calls this route `profile`.",
    query: lists.profile.parameters,
    responses: {
      200: {
        description: "The business.",
        body: "BusinessProfileResponse",
        headers: [...CATALOG_HEADERS, "Content-Language"],
      },
      304: { description: UNCHANGED, headers: CATALOG_HEADERS },
    },
    handle: ({ listHandler }) => listHandler(lists.profile),
  },
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
    path: AVAILABILITY_PATH,
    scope: "public",
    summary: "Get available slots",
    description:
      "Send `serviceIds` (or `serviceId`, `variantIds`) for a visit, or `partySize` for a table. No key is needed, except for `explain`, which requires a key of the business with the scope services.read. A request with a valid key of the business counts against the limit of the key, any other against that of its address.",
    query: availabilityParameters,
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
    handle: ({ rt, accessControl, scanQueue, findAvailability }) =>
      getAvailability(rt, accessControl, scanQueue, findAvailability),
  },
  {
    operationId: "listChanges",
    group: "Changes",
    method: "GET",
    path: pathBelowBusiness("changes"),
    scope: "webhooks.read",
    summary: "List events in the feed",
    description:
      "Returns the same envelopes, with the same IDs, that webhooks carry. Pass `page.nextCursor` as `after` to continue; without `after` the feed starts at the oldest event that is kept, and with `after=latest` at its end. After a 410, request `after=latest`, read every list again, and continue with that cursor.",
    query: changesParameters,
    responses: ok("Events, oldest first.", "EventList"),
    problems: ["cursor_expired", "conflict"],
    handle: ({ rt, longPolls, accessControl }) => listChanges(rt, longPolls, accessControl),
  },
  ...BOOKING_ROUTES,
  ...TICKET_ROUTES,
  webhookRoute("GET", "webhooks", "listEndpoints", "List webhook endpoints", {
    description:
      "A secret key lists every endpoint of its business; a restricted key lists those that it created.",
    query: endpoints.endpointsParameters,
    responses: {
      200: {
        description: "Webhook endpoints, oldest first.",
        body: "EndpointList",
        headers: PAGED,
      },
    },
    handle: endpoints.listEndpoints,
  }),
  webhookRoute("POST", "webhooks", "createEndpoint", "Create a webhook endpoint", {
    description:
      "An API key can have 10 endpoints, unless the business sets another maximum. Until a host has responded with 2xx to an event, it gets at most 60 requests per hour.",
    body: { schema: endpoints.createEndpointBody },
    responses: {
      201: {
        description: "The new endpoint with its signing secret.",
        body: "CreatedEndpointResponse",
        headers: ["Location", "ETag", "Cache-Control"],
      },
    },
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleCreateEndpoint,
  }),
  webhookRoute("GET", "webhooks/:id", "getEndpoint", "Get a webhook endpoint", {
    description:
      "The ETag is the endpoint's `version`. A 304 says that its settings, status and secrets are the same: `failingSince`, `heldUntil` and `heldReason` may differ.",
    responses: {
      ...versioned("The endpoint.", "EndpointResponse"),
      304: { description: UNCHANGED, headers: VERSIONED },
    },
    handle: endpoints.handleGetEndpoint,
  }),
  webhookRoute("PATCH", "webhooks/:id", "updateEndpoint", "Update a webhook endpoint", {
    description:
      "Omitted fields keep their value. `status` DISABLED pauses the endpoint: its deliveries are kept, and sent when `status` is ACTIVE again. If-Match avoids overwriting the change of another client.",
    body: { schema: endpoints.updateEndpointBody },
    responses: versioned("The updated endpoint.", "EndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleUpdateEndpoint,
  }),
  webhookRoute("DELETE", "webhooks/:id", "deleteEndpoint", "Delete a webhook endpoint", {
    description: "Pending deliveries are cancelled.",
    responses: { 204: { description: "Deleted." } },
    handle: endpoints.handleDeleteEndpoint,
  }),
  webhookRoute("POST", "webhooks/:id/test", "testEndpoint", "Send a test event", {
    description:
      "Sends a signed event of the endpoint's first event type immediately, even if the endpoint is disabled. Test events do not appear in /changes and do not affect failure counts.",
    body: EMPTY_BODY,
    responses: ok(
      "The result of the test. Returns 200 even if the receiver failed; see `ok`.",
      "EndpointTestResponse",
    ),
    problems: ["shutting_down"],
    handle: endpoints.handleTestEndpoint,
  }),
  webhookRoute("POST", "webhooks/:id/enable", "enableEndpoint", "Enable a webhook endpoint", {
    description:
      "Enables a disabled endpoint and sends the events that it missed, as requested with `recover`. An endpoint that the business disabled (`disabledReason` is `manual`), or whose API key has ended, can only be enabled by the business.",
    body: { schema: endpoints.enableEndpointBody, isOptional: true },
    responses: versioned(
      "The enabled endpoint, with the number of recovered deliveries.",
      "EnabledEndpointResponse",
    ),
    handle: endpoints.handleEnableEndpoint,
  }),
  webhookRoute(
    "POST",
    "webhooks/:id/rotate-secret",
    "rotateEndpointSecret",
    "Rotate the signing secret",
    {
      description:
        "Creates a new signing secret. Events are signed with both secrets until the overlap ends, at `oldSecretEndsAt`. Send an Idempotency-Key: if the response is lost, the same request returns the same secret. While a rotation is in progress, another one is refused with `conflict`: finish it first, or send `force`.",
      body: { schema: endpoints.rotateSecretBody, isOptional: true },
      responses: versioned("The endpoint with its new signing secret.", "SecretRotationResponse"),
      handle: endpoints.handleRotateEndpointSecret,
    },
  ),
  webhookRoute(
    "POST",
    "webhooks/:id/rotate-secret/finish",
    "finishSecretRotation",
    "Finish the rotation of the signing secret",
    {
      description: "Ends the overlap: events are signed with the new secret only.",
      body: EMPTY_BODY,
      responses: versioned("The endpoint.", "FinishedSecretRotationResponse"),
      handle: endpoints.handleFinishSecretRotation,
    },
  ),
  webhookRoute(
    "GET",
    "webhooks/:id/deliveries",
    "listDeliveries",
    "List deliveries of a webhook endpoint",
    {
      description:
        "Shows the status and the last error of each delivery; `GET …/deliveries/{id}` adds its attempts.",
      query: deliveriesParameters,
      responses: {
        200: {
          description: "Deliveries, newest first, 100 per page by default.",
          body: "DeliveryList",
          headers: PAGED,
        },
      },
      handle: listDeliveries,
    },
  ),
  webhookRoute("GET", "deliveries/:id", "getDelivery", "Get a delivery", {
    description: "Shows up to 100 attempts, each with the beginning of your server's response.",
    responses: ok("The delivery with its attempts.", "DeliveryResponse"),
    handle: handleGetDelivery,
  }),
  webhookRoute("POST", "deliveries/:id/redeliver", "redeliverDelivery", "Send a delivery again", {
    description:
      "Sends the same event with a new signature, after new deliveries. The retry schedule starts over. The endpoint must be enabled.",
    body: EMPTY_BODY,
    responses: {
      202: {
        description: "The delivery, scheduled to be sent again.",
        body: "DeliveryResponse",
        headers: UNPAGED,
      },
    },
    handle: handleRedeliverDelivery,
  }),
  openRoute("/healthz", "getHealth", "Check that the process is running", {
    description: "For liveness checks.",
    responses: ok("The process is running.", "Health"),
    handle: ({ rt }) => getHealth(rt),
  }),
  openRoute("/readyz", "getReadiness", "Check that the server is ready", {
    description:
      "For load balancers: responds with 503 while the server shuts down, and if its data folder is gone or its database is damaged. With the metrics token, `conditions` of the problem has their codes. If you receive no webhooks although `lastDeliveryAt` is recent, look for the reason at your endpoint.",
    responses: ok("The server is ready to accept requests.", "Health"),
    problems: ["shutting_down"],
    handle: ({ rt, operators, longPolls }) =>
      getReadiness(rt, operators, () => longPolls.closing.aborted),
  }),
  openRoute("/metrics", "getMetrics", "Get metrics", {
    description:
      "Requires the metrics token as a bearer token, which `deskbell metrics token` prints on the server.",
    responses: {
      200: {
        description: "Metrics in the Prometheus text format.",
        body: "text/plain",
        headers: UNPAGED,
      },
    },
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: ({ rt, metrics, operators }) => getMetrics(rt, metrics, operators),
  }),
  openRoute("/metrics/status", "getServerStatus", "Get the state of the server", {
    description:
      "The businesses of the server and its open health conditions, for `deskbell proxy-map` and `deskbell status --servers`. Requires the same token as `/metrics`.",
    responses: ok("The state of the server.", "ServerStatusResponse"),
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: ({ rt, operators }) => getServerStatus(rt, operators),
  }),
  calendarRoute(
    pathBelowBusiness("calendars/:file"),
    "getBusinessCalendar",
    "The URL, which `deskbell calendars create` prints, is secret and can be revoked. Calendar apps poll it at their own interval.",
  ),
  calendarRoute(
    "/calendars/:file",
    "getCalendar",
    "The same feed at the URL that earlier versions of deskbell printed. Use the URL with the slug: with several servers behind one proxy, only the first one has this route.",
  ),
  openRoute("/openapi.json", "getOpenApi", "Get the OpenAPI document", {
    description: "Pages of any origin can read it.",
    responses: {
      200: {
        description: "The OpenAPI 3.1 document of this API.",
        body: "OpenApi",
        headers: [...CACHEABLE, "X-Content-Type-Options"],
      },
      304: { description: UNCHANGED, headers: [...CACHEABLE, "X-Content-Type-Options"] },
    },
    handle: ({ rt }) => getOpenApi(rt, ROUTES),
  }),
];
