import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import { getOwnDelivery, getOwnEndpoint } from "../../../app/webhooks/own-webhooks.ts";
import { parseRequest } from "../../../domain/bookings/request.ts";
import { EVENT_TYPES } from "../../../domain/event-types.ts";
import { minIdAt } from "../../../domain/ids.ts";
import { DELIVERY_STATUSES } from "../../../domain/webhooks/delivery-status.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { DeliveryRow } from "../../../store/deliveries.ts";
import type { Credential } from "../../../store/keys.ts";
import type { LiveFilter } from "../../../store/live-filter.ts";
import { readOptionalJsonObject } from "../../pipeline/body.ts";
import {
  type HttpResponse,
  respondJson,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import { decodeCursor, encodeCursor } from "../../pipeline/cursor.ts";
import { pathId } from "./endpoint.ts";
import { emptyBody } from "./endpoint-actions.ts";
import {
  respondPage,
  getBusiness,
  PRIVATE,
  getTimezone,
} from "../../pipeline/business-response.ts";
import { cursor, instant, oneOf, pageSize, parseParameters } from "../../pipeline/parameters.ts";
import { toPublicAttempt, toPublicDelivery } from "./public-webhooks.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

const DEFAULT_LIMIT = 100;
/** The schedule makes 20; who sends again and again makes any number. */
const SHOWN_ATTEMPTS = 100;

export const DELIVERIES_PARAMETERS = {
  status: oneOf(DELIVERY_STATUSES).describe("Filter by delivery status"),
  eventType: oneOf(EVENT_TYPES).describe("Filter by event type"),
  since: instant.describe("Only deliveries created at or after this time"),
  limit: pageSize.describe(`Maximum number of deliveries; ${DEFAULT_LIMIT} by default`),
  cursor,
};

/** The newest first, never all at once: there may be a million of them. */
export const listDeliveries =
  (rt: Runtime) =>
  (call: RequestContext, key: Credential): HttpResponse => {
    const asked = parseParameters(DELIVERIES_PARAMETERS, call.request.search);
    const { id } = getOwnEndpoint(rt, key, pathId(call));
    const business = getBusiness(rt, key);
    const { timezone } = business.doc;
    const path = `webhooks/${id}/deliveries`;
    const filter = { endpointId: id, state: asked.status, eventType: asked.eventType };
    const before = asked.cursor === undefined ? null : decodeCursor(path, asked.cursor).id;
    const since = asked.since?.resolve(timezone) ?? 0;
    const { rows, reached } = readPage(rt, filter, before, since, asked.limit ?? DEFAULT_LIMIT);
    const data = rows.map((delivery) => toPublicDelivery(delivery, timezone));
    const nextCursor = reached && encodeCursor(path, { sortOrder: 0, id: reached });
    return respondPage(rt, call, business, path, { data, nextCursor });
  };

export const getDelivery =
  (rt: Runtime) =>
  (call: RequestContext, key: Credential): HttpResponse => {
    parseParameters({}, call.request.search);
    const delivery = getOwnDelivery(rt, key, pathId(call));
    return respondJson(
      call,
      200,
      { data: withAttempts(rt, delivery, getTimezone(rt, key)) },
      PRIVATE,
    );
  };

/** It is on its way again, not yet there. */
export const handleRedeliverDelivery =
  (rt: Runtime) =>
  async (call: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, call.request.search);
    const sent = await readOptionalJsonObject(call);
    const { id } = getOwnDelivery(rt, key, pathId(call));
    parseRequest(emptyBody, sent);
    const delivery = await retryWhileBusy(rt, () => redeliverDelivery(rt, id));
    return respondJson(
      call,
      202,
      { data: withAttempts(rt, delivery, getTimezone(rt, key)) },
      PRIVATE,
    );
  };

const withAttempts = (rt: Runtime, delivery: DeliveryRow, timezone: string) => ({
  ...toPublicDelivery(delivery, timezone),
  attempts: rt.store.deliveries
    .listAttempts(delivery.id, SHOWN_ATTEMPTS)
    .map((attempt) => toPublicAttempt(attempt, timezone)),
});

/** A page, and where the next one goes on; null: nowhere. A rare combination may fill less than a page. */
function readPage(
  rt: Runtime,
  filter: LiveFilter,
  before: string | null,
  since: number,
  limit: number,
): { rows: DeliveryRow[]; reached: string | null } {
  const start = before === null ? null : { id: before, isIncluded: false };
  const found = rt.store.live.page(filter, "older", start, limit + 1);
  const rows = found.rows.slice(0, limit);
  const [next] = found.rows.slice(limit);
  const reached = next ? (rows.at(-1)?.id ?? null) : found.reached;
  // Ids rise with time: from here on all are older.
  const isOver = reached === null || (next?.id ?? reached) < minIdAt("dlv", since);
  return {
    rows: rows.filter(({ createdAt }) => createdAt >= since),
    reached: isOver ? null : reached,
  };
}
