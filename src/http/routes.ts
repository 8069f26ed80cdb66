import { BOOKING_ROUTES } from "./booking-routes.ts";
import { getAvailability } from "./handlers/availability/availability.ts";
import { availabilityParameters } from "./handlers/availability/availability-parameters.ts";
import * as lists from "./handlers/catalog/list-routes.ts";
import { listChanges, changesParameters } from "./handlers/changes/changes.ts";
import { handleGetKey, handleRotateKey, rotateKeyBody } from "./handlers/keys/key.ts";
import { getOpenApi } from "./handlers/server-documents.ts";
import { handleGetChange } from "./handlers/changes/change.ts";
import { getHealth, getMetrics, getReadiness } from "./handlers/operations.ts";
import { loadFromFeatures } from "../features/index.ts";
import {
  CACHEABLE,
  conditional,
  get,
  openGet,
  pathOf,
  post,
  unversioned,
} from "./route-constructors.ts";
import { WEBHOOK_ROUTES } from "./webhook-routes.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import type { RouteDefinition } from "./pipeline/route.ts";

export const AVAILABILITY_PATH = pathOf("availability");

const CATALOG_HEADERS = [...CACHEABLE, "Catalog-Version", "X-Service-Sequence"] as const;

/** Returns a route of the catalog, which the list handler serves. */
const catalogRoute = (
  list: lists.ListRoute,
  operation: Pick<RouteDefinition, "operationId" | "summary" | "description" | "responses">,
): RouteDefinition =>
  get("Catalog", list.path, {
    ...operation,
    scope: "services.read",
    query: list.parameters,
    handle: ({ listHandler }) => listHandler(list),
  });

const pagedCatalog = (body: SchemaName): RouteDefinition["responses"] =>
  conditional("The list, or one page of it.", body, CATALOG_HEADERS, ["Content-Language", "Link"]);

/**
 * The routes of the core. Their paths are below `/v1/businesses/:slug`, except for the routes that
 * `openGet` makes. The constructors are in route-constructors.ts.
 */
const CORE_ROUTES: readonly RouteDefinition[] = [
  catalogRoute(lists.profile, {
    operationId: "getBusiness",
    summary: "Get the business",
    description:
      "Name, contact details, opening hours, languages and booking policy. `catalog.changed` calls this route `profile`.",
    responses: conditional("The business.", "BusinessProfileResponse", CATALOG_HEADERS, [
      "Content-Language",
    ]),
  }),
  catalogRoute(lists.menuList, {
    operationId: "getMenu",
    summary: "Get the menu",
    description:
      "Menu items with prices and images, menu categories and modifier groups. `limit` pages the items.",
    responses: pagedCatalog("Menu"),
  }),
  catalogRoute(lists.servicesList, {
    operationId: "listServices",
    summary: "List services",
    description: "Services with prices; variants and add-ons on request.",
    responses: pagedCatalog("ServiceList"),
  }),
  catalogRoute(lists.serviceCategoriesList, {
    operationId: "listServiceCategories",
    summary: "List service categories",
    description: "Active service categories in display order.",
    responses: pagedCatalog("ServiceCategoryList"),
  }),
  catalogRoute(lists.staffList, {
    operationId: "listStaff",
    summary: "List staff",
    description: "Public staff profiles with the services that each person performs.",
    responses: pagedCatalog("StaffList"),
  }),
  catalogRoute(lists.promotionsList, {
    operationId: "listPromotions",
    summary: "List promotions",
    description: "Active promotions with their benefits and schedules.",
    responses: pagedCatalog("PromotionList"),
  }),
  catalogRoute(lists.eventsList, {
    operationId: "listPublicEvents",
    summary: "List public events",
    description: "Published events with ticket types, prices and availability.",
    responses: pagedCatalog("PublicEventList"),
  }),
  get("Availability", "availability", {
    operationId: "getAvailability",
    scope: "public",
    summary: "Get available slots",
    description:
      "Send `serviceIds` (or `serviceId`, `variantIds`) for a visit, or `partySize` for a table. The section Free times of `/docs` says which starts are offered. No key is needed, except for `explain`, which requires a key of the business with the scope services.read. A request with a valid key of the business counts against the limit of the key, any other against that of its address.",
    query: availabilityParameters,
    responses: conditional(
      "The slots by day, the days with a slot count, or the next slots, as requested with `granularity`.",
      "Availability",
      CACHEABLE,
    ),
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
  }),
  get("Changes", "changes", {
    operationId: "listChanges",
    scope: "webhooks.read",
    summary: "List events in the feed",
    description:
      "Returns the same envelopes, with the same IDs, that webhooks carry. Pass `page.nextCursor` as `after` to continue; without `after` the feed starts at the oldest event that is kept, with `since` at a time, and with `after=latest` at its end. After a 410, request `after=latest`, read every list again, and continue with that cursor.",
    query: changesParameters,
    responses: unversioned("Events, oldest first.", "EventList"),
    problems: ["cursor_expired", "conflict"],
    handle: ({ rt, longPolls, accessControl }) => listChanges(rt, longPolls, accessControl),
  }),
  get("Changes", "changes/:id", {
    operationId: "getChange",
    scope: "webhooks.read",
    summary: "Get an event",
    description:
      "Returns the envelope that the feed and the webhooks of the API key have. An event that the key may not receive looks like one that does not exist.",
    responses: unversioned("The event, with its position in the feed.", "EventResponse"),
    handle: handleGetChange,
  }),
  get("Keys", "key", {
    operationId: "getKey",
    scope: "anyKey",
    summary: "Get the API key of the request",
    description:
      "Says what the key may do, and what it has used of its limits. Every valid key may send this request, whatever its scopes. `lastDeliveryAt` tells whether the server sends at all.",
    responses: unversioned("The API key, without its secret.", "KeyResponse"),
    handle: handleGetKey,
  }),
  post("Keys", "key/rotate", {
    operationId: "rotateKey",
    scope: "anyKey",
    rotatesKey: true,
    needsIdempotencyKey: true,
    summary: "Rotate the API key of the request",
    description:
      "Gives the key a new secret; the key keeps its ID, scopes, limits, expiry and endpoints. Only keys that the business allows to do so (`selfRotation`), and only with their newest secret. The old secret stays valid during the overlap. If the response is lost, send the identical request again within 10 minutes, also with an old secret that has ended: it returns the same secret. The business is alerted of each such rotation.",
    body: { schema: rotateKeyBody, isOptional: true },
    responses: unversioned("The API key with its new secret.", "RotatedKeyResponse"),
    problems: ["rotation_not_allowed"],
    handle: handleRotateKey,
  }),
  ...BOOKING_ROUTES,
  ...WEBHOOK_ROUTES,
  openGet("/healthz", {
    operationId: "getHealth",
    summary: "Check that the process is running",
    description: "For liveness checks.",
    responses: unversioned("The process is running.", "Health"),
    handle: getHealth,
  }),
  openGet("/readyz", {
    operationId: "getReadiness",
    summary: "Check that the server is ready",
    description:
      "For load balancers: responds with 503 while the server shuts down, and if its data folder is gone or its database is damaged. With the metrics token, `conditions` of the problem has their codes. If you receive no webhooks although `lastDeliveryAt` is recent, look for the reason at your endpoint.",
    responses: unversioned("The server is ready to accept requests.", "Health"),
    problems: ["shutting_down"],
    handle: getReadiness,
  }),
  openGet("/metrics", {
    operationId: "getMetrics",
    summary: "Get metrics",
    description:
      "Requires the metrics token as a bearer token, which `deskbell metrics token` prints on the server.",
    responses: unversioned("Metrics in the Prometheus text format.", "text/plain"),
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: getMetrics,
  }),
  openGet("/openapi.json", {
    operationId: "getOpenApi",
    summary: "Get the OpenAPI document",
    description: "Pages of any origin can read it.",
    responses: conditional("The OpenAPI 3.1 document of this API.", "OpenApi", [
      ...CACHEABLE,
      "X-Content-Type-Options",
    ]),
    handle: ({ rt }) => getOpenApi(rt),
  }),
];

/** Returns the table of all routes. The build generates the OpenAPI document from it. */
export const loadRoutes = async (): Promise<readonly RouteDefinition[]> => [
  ...CORE_ROUTES,
  ...(await loadFromFeatures("routes")),
];
