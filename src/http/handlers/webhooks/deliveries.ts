import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import {
  assertMayListDeliveries,
  deliveryViewer,
  getOwnDelivery,
  getOwnEndpoint,
} from "../../../app/webhooks/endpoint-owner.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import { ALL_EVENT_TYPES } from "../../../domain/events/event-types.ts";
import { minIdAt } from "../../../domain/ids.ts";
import { lazy } from "../../../domain/lazy.ts";
import { DELIVERY_STATUSES } from "../../../domain/webhooks/settle.ts";
import type { DeliveryRow } from "../../../store/webhooks/deliveries.ts";
import type { AnyCredential, Credential } from "../../../store/keys.ts";
import type { SearchFilter } from "../../../store/webhooks/delivery-search.ts";
import { emptyBody, readOptionalJsonObject } from "../../pipeline/body.ts";
import {
  getTimezone,
  respondPageOfKey,
  decodeCursor,
  encodeCursor,
} from "../../pipeline/business-response.ts";
import { handleChange, handleGet, pathId } from "../../pipeline/object-handlers.ts";
import {
  cursor,
  instant,
  oneOf,
  pageSize,
  type ParametersOf,
  parseParameters,
  text,
} from "../../pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { createToPublicDelivery, toPublicWithAttempts } from "./delivery-object.ts";

const DEFAULT_LIMIT = 100;
const filters = (zone?: string) => ({
  eventId: text().describe("Only deliveries of this event"),
  status: oneOf(DELIVERY_STATUSES).describe("Filter by delivery status"),
  eventType: oneOf(ALL_EVENT_TYPES).describe("Filter by event type"),
  since: instant(zone).describe("Only deliveries created at or after this time"),
  until: instant(zone).describe("Only deliveries created before this time"),
  limit: pageSize().describe(`Maximum number of deliveries; ${DEFAULT_LIMIT} by default`),
  cursor: cursor(),
});

export const deliveriesParameters = lazy(() => filters());
/** The endpoint of a partner of several businesses has no single business with a time zone. */
export const partnerDeliveriesParameters = lazy(() => filters("UTC"));
export const allDeliveriesParameters = lazy(() => ({
  endpointId: text().describe("Only deliveries to this endpoint"),
  ...filters(),
}));

type Filters = ParametersOf<ReturnType<typeof filters>>;

/** Responds with one page of the deliveries of an endpoint. */
export const listDeliveries =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: AnyCredential): HttpResponse => {
    const known = key.businessId === null ? partnerDeliveriesParameters : deliveriesParameters;
    const parameters = parseParameters(known(), context.request.search);
    const { id: endpointId } = getOwnEndpoint(rt, key, pathId(context));
    const path = `webhooks/${endpointId}/deliveries`;
    return respondDeliveries(rt, context, key, path, { endpointId }, parameters);
  };

/**
 * Responds with one page of the deliveries to endpoints of a business, including deleted endpoints.
 * A restricted key sees the deliveries to its own endpoints. A secret key also sees the deliveries
 * of every event that the key may receive, whichever endpoint they go to.
 */
export const listAllDeliveries =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const { endpointId, ...parameters } = parseParameters(
      allDeliveriesParameters(),
      context.request.search,
    );
    if (endpointId !== undefined) assertMayListDeliveries(rt, key, endpointId);
    const { businessId } = key;
    const viewer = deliveryViewer(key);
    // `withoutPartners` leaves out the endpoints of partners with several businesses, because these
    // endpoints belong to no single business.
    const scope = { businessId, endpointId, viewer, withoutPartners: true as const };
    return respondDeliveries(rt, context, key, "deliveries", scope, parameters);
  };

/**
 * Responds with one page even if there is no `limit`, because an endpoint may have a million
 * deliveries.
 */
function respondDeliveries(
  rt: Runtime,
  context: RequestContext,
  key: AnyCredential,
  path: string,
  scope: Pick<SearchFilter, "businessId" | "endpointId" | "viewer" | "withoutPartners">,
  { status: state, eventType, eventId, cursor: after, ...parameters }: Filters,
): HttpResponse {
  const timezone = getTimezone(rt, key);
  const filter = { ...scope, state, eventType, eventId };
  const { rows, reached } = readPage(rt, filter, {
    before: after === undefined ? null : decodeCursor(path, after).id,
    since: parameters.since?.resolve(timezone) ?? 0,
    until: parameters.until?.resolve(timezone),
    limit: parameters.limit ?? DEFAULT_LIMIT,
  });
  const data = rows.map(createToPublicDelivery(rt, timezone));
  const nextCursor = reached && encodeCursor(path, { sortOrder: 0, id: reached });
  return respondPageOfKey(rt, context, key, path, { data, nextCursor });
}

export const handleGetDelivery =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: AnyCredential): HttpResponse =>
    handleGet({ rt }, getOwnDelivery, (delivery, timezone) =>
      toPublicWithAttempts(rt, key, delivery, timezone),
    )(context, key);

/**
 * Responds with 202, because the delivery is pending again but not yet sent. The response is
 * stored, so that a repeated request gets the same one. The field `request` may have the reference
 * of a guest, so it is null in the response.
 */
export const handleRedeliverDelivery = ({ rt }: HandlerDeps) =>
  handleChange(
    { rt },
    getOwnDelivery,
    readOptionalJsonObject,
    ({ id }, timezone, body, _context, key) => {
      parseRequest(emptyBody(), body);
      return () => ({
        ...toPublicWithAttempts(rt, key, redeliverDelivery(rt, id), timezone),
        request: null,
      });
    },
    { status: 202 },
  );

/** The bounds of one page of a list. */
type PageRange = {
  /**
   * The page starts at the newest delivery with a smaller ID; null for a page that starts at the
   * newest delivery.
   */
  before: string | null;
  /** Epoch ms of creation, inclusive. */
  since: number;
  /** Epoch ms of creation, exclusive. */
  until: number | undefined;
  limit: number;
};

/**
 * Returns a page and the position after which the next page continues (`reached`, null at the end).
 * A page can be short although more deliveries follow, because a search with a rare filter stops
 * after a limited number of rows.
 */
function readPage(
  rt: Runtime,
  filter: SearchFilter,
  { before, since, until, limit }: PageRange,
): { rows: DeliveryRow[]; reached: string | null } {
  // The page starts below the smaller of both bounds.
  const [startId] = [before, until === undefined ? null : minIdAt("dlv", until)]
    .filter((id) => id !== null)
    .sort();
  const start = startId === undefined ? null : { id: startId, isIncluded: false };
  const found = rt.store.deliverySearch.listPage(filter, "older", start, limit + 1);
  const rows = found.rows.slice(0, limit);
  const last = rows.at(-1)?.id;
  const [next] = found.rows.slice(limit);
  // `found.reached` is the last row of a search that has stopped early; null at the end of a list.
  const reached = next ? (last ?? null) : found.reached;
  // IDs increase with time: if the next delivery is older than `since`, all further deliveries are.
  const isLast = reached === null || (next?.id ?? reached) < minIdAt("dlv", since);
  return {
    rows: rows.filter(({ createdAt }) => createdAt >= since),
    reached: isLast ? null : hideForeign(reached, last),
  };
}

/** Number of first characters of an ID that come from the time alone. */
const TIME_CHARACTERS = "dlv_".length + 9;

/**
 * Returns the position for the cursor of the next page. The last searched delivery may be of
 * another business, so its ID must not be in a cursor. The position is up to a few milliseconds
 * newer than this delivery, and the next page searches these milliseconds again.
 * @param last the last delivery of the page; no delivery between it and the position matches
 */
function hideForeign(reached: string, last: string | undefined): string {
  // `~` sorts after every character of an ID.
  const bound = `${reached.slice(0, TIME_CHARACTERS)}~`;
  return last !== undefined && last < bound ? last : bound;
}
