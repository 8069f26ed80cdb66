import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import { getOwnDelivery, getOwnEndpoint } from "../../../app/webhooks/own-webhooks.ts";
import { parseRequest } from "../../../domain/bookings/requests.ts";
import { EVENT_TYPES } from "../../../domain/event-types.ts";
import { minIdAt } from "../../../domain/ids.ts";
import { DELIVERY_STATUSES } from "../../../domain/webhooks/settle.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { DeliveryRow } from "../../../store/deliveries.ts";
import type { Credential } from "../../../store/keys.ts";
import type { LiveFilter } from "../../../store/live-filter.ts";
import { readOptionalJsonObject } from "../../pipeline/body.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import { decodeCursor, encodeCursor } from "../../pipeline/cursor.ts";
import { pathId } from "./endpoint.ts";
import { emptyBody } from "./endpoint-actions.ts";
import {
  getBusiness,
  respondData,
  respondPage,
  getTimezone,
} from "../../pipeline/business-response.ts";
import { cursor, instant, oneOf, pageSize, parseParameters } from "../../pipeline/parameters.ts";
import { toPublicAttempt, toPublicDelivery } from "./public-webhooks.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

const DEFAULT_LIMIT = 100;
/** The retry schedule has 20 attempts; redeliveries can add any number. */
const MAX_ATTEMPTS_SHOWN = 100;

export const DELIVERIES_PARAMETERS = {
  status: oneOf(DELIVERY_STATUSES).describe("Filter by delivery status"),
  eventType: oneOf(EVENT_TYPES).describe("Filter by event type"),
  since: instant.describe("Only deliveries created at or after this time"),
  limit: pageSize.describe(`Maximum number of deliveries; ${DEFAULT_LIMIT} by default`),
  cursor,
};

/** Lists deliveries, newest first. Always paged: an endpoint may have a million of them. */
export const listDeliveries =
  (rt: Runtime) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const parameters = parseParameters(DELIVERIES_PARAMETERS, context.request.search);
    const { id } = getOwnEndpoint(rt, key, pathId(context));
    const business = getBusiness(rt, key);
    const { timezone } = business.doc;
    const path = `webhooks/${id}/deliveries`;
    const filter = { endpointId: id, state: parameters.status, eventType: parameters.eventType };
    const before =
      parameters.cursor === undefined ? null : decodeCursor(path, parameters.cursor).id;
    const since = parameters.since?.resolve(timezone) ?? 0;
    const { rows, reached } = readPage(
      rt,
      filter,
      before,
      since,
      parameters.limit ?? DEFAULT_LIMIT,
    );
    const data = rows.map((delivery) => toPublicDelivery(delivery, timezone));
    const nextCursor = reached && encodeCursor(path, { sortOrder: 0, id: reached });
    return respondPage(rt, context, business, path, { data, nextCursor });
  };

export const getDelivery =
  (rt: Runtime) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    parseParameters({}, context.request.search);
    const delivery = getOwnDelivery(rt, key, pathId(context));
    return respondData(context, withAttempts(rt, delivery, getTimezone(rt, key)));
  };

/** Responds with 202: the delivery is pending again, not yet sent. */
export const handleRedeliverDelivery =
  (rt: Runtime) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const body = await readOptionalJsonObject(context);
    const { id } = getOwnDelivery(rt, key, pathId(context));
    parseRequest(emptyBody, body);
    const delivery = await retryWhileBusy(rt, () => redeliverDelivery(rt, id));
    return respondData(context, withAttempts(rt, delivery, getTimezone(rt, key)), 202);
  };

const withAttempts = (rt: Runtime, delivery: DeliveryRow, timezone: string) => ({
  ...toPublicDelivery(delivery, timezone),
  attempts: rt.store.deliveries
    .listAttempts(delivery.id, MAX_ATTEMPTS_SHOWN)
    .map((attempt) => toPublicAttempt(attempt, timezone)),
});

/**
 * Reads a page. The next one continues after `reached`, which is null at the end. A page can be short
 * even if more follow, because a rare filter stops after a limited number of rows.
 */
function readPage(
  rt: Runtime,
  filter: LiveFilter,
  before: string | null,
  since: number,
  limit: number,
): { rows: DeliveryRow[]; reached: string | null } {
  const start = before === null ? null : { id: before, isIncluded: false };
  const found = rt.store.live.listPage(filter, "older", start, limit + 1);
  const rows = found.rows.slice(0, limit);
  const [next] = found.rows.slice(limit);
  const reached = next ? (rows.at(-1)?.id ?? null) : found.reached;
  // IDs increase with time: all further deliveries are older than `since`.
  const isLast = reached === null || (next?.id ?? reached) < minIdAt("dlv", since);
  return {
    rows: rows.filter(({ createdAt }) => createdAt >= since),
    reached: isLast ? null : reached,
  };
}
