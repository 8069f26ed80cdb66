import { BOOKING_ROUTES } from "./booking-routes.ts";
import { getAvailability } from "./handlers/availability/availability.ts";
import { availabilityParameters } from "./handlers/availability/availability-parameters.ts";
import * as lists from "./handlers/catalog/list-routes.ts";
import { listChanges, changesParameters } from "./handlers/changes/changes.ts";
import { getCalendar } from "./handlers/calendars.ts";
import { getOpenApi } from "./handlers/docs.ts";
import { getHealth, getMetrics, getReadiness, getServerStatus } from "./handlers/operations.ts";
import { path as pathBelowBusiness, unversioned } from "./route-parts.ts";
import { TICKET_ROUTES } from "./ticket-routes.ts";
import { WEBHOOK_ROUTES } from "./webhook-routes.ts";
import type { SchemaName } from "./openapi/schemas.ts";
import type { HandlerDeps, OpenHandler, RouteDefinition, RouteSpec } from "./pipeline/route.ts";

export const AVAILABILITY_PATH = pathBelowBusiness("availability");

const UNCHANGED = "Not modified: the ETag in If-None-Match still matches.";
const CACHEABLE = ["ETag", "Cache-Control", "Vary"] as const;
const CATALOG_HEADERS = [...CACHEABLE, "Catalog-Version", "X-Service-Sequence"] as const;

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

type Details = Pick<RouteSpec, "description" | "responses" | "problems"> & {
  handle: (deps: HandlerDeps) => OpenHandler;
};

const openRoute = (
  path: string,
  operationId: string,
  summary: string,
  details: Details,
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
      "Send `serviceIds` (or `serviceId`, `variantIds`) for a visit, or `partySize` for a table. The section Free times of `/docs` says which starts are offered. No key is needed, except for `explain`, which requires a key of the business with the scope services.read. A request with a valid key of the business counts against the limit of the key, any other against that of its address.",
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
    responses: unversioned("Events, oldest first.", "EventList"),
    problems: ["cursor_expired", "conflict"],
    handle: ({ rt, longPolls, accessControl }) => listChanges(rt, longPolls, accessControl),
  },
  ...BOOKING_ROUTES,
  ...TICKET_ROUTES,
  ...WEBHOOK_ROUTES,
  openRoute("/healthz", "getHealth", "Check that the process is running", {
    description: "For liveness checks.",
    responses: unversioned("The process is running.", "Health"),
    handle: ({ rt }) => getHealth(rt),
  }),
  openRoute("/readyz", "getReadiness", "Check that the server is ready", {
    description:
      "For load balancers: responds with 503 while the server shuts down, and if its data folder is gone or its database is damaged. With the metrics token, `conditions` of the problem has their codes. If you receive no webhooks although `lastDeliveryAt` is recent, look for the reason at your endpoint.",
    responses: unversioned("The server is ready to accept requests.", "Health"),
    problems: ["shutting_down"],
    handle: ({ rt, operators, longPolls }) =>
      getReadiness(rt, operators, () => longPolls.closing.aborted),
  }),
  openRoute("/metrics", "getMetrics", "Get metrics", {
    description:
      "Requires the metrics token as a bearer token, which `deskbell metrics token` prints on the server.",
    responses: unversioned("Metrics in the Prometheus text format.", "text/plain"),
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: ({ rt, metrics, operators }) => getMetrics(rt, metrics, operators),
  }),
  openRoute("/metrics/status", "getServerStatus", "Get the state of the server", {
    description:
      "The businesses of the server and its open health conditions, for `deskbell proxy-map` and `deskbell status --servers`. Requires the same token as `/metrics`.",
    responses: unversioned("The state of the server.", "ServerStatusResponse"),
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
