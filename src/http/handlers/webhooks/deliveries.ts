import type { z } from "zod";
import { redeliverDelivery } from "../../../app/webhooks/deliveries.ts";
import { getOwnDelivery, getOwnEndpoint } from "../../../app/webhooks/endpoint-owner.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import { ALL_EVENT_TYPES } from "../../../domain/event-types.ts";
import { minIdAt } from "../../../domain/ids.ts";
import { lazy } from "../../../domain/lazy.ts";
import { formatInstant, formatInstantOrNull } from "../../../domain/local-time.ts";
import type {
  attempt,
  delivery as publicDelivery,
} from "../../../domain/public/schemas/webhook.ts";
import { nextAttemptOf } from "../../../domain/webhooks/failing-endpoint.ts";
import {
  errorForPartners,
  outcomeForPartners,
  DELIVERY_STATUSES,
} from "../../../domain/webhooks/settle.ts";
import type { AttemptRow, DeliveryRow } from "../../../store/webhooks/deliveries.ts";
import type { Credential } from "../../../store/keys.ts";
import type { SearchFilter } from "../../../store/webhooks/delivery-search.ts";
import { emptyBody, readOptionalJsonObject } from "../../pipeline/body.ts";
import {
  getBusinessOfKey,
  respondPage,
  decodeCursor,
  encodeCursor,
} from "../../pipeline/business-response.ts";
import { handleChange, handleGet, pathId } from "../../pipeline/object-handlers.ts";
import { cursor, instant, oneOf, pageSize, parseParameters } from "../../pipeline/parameters.ts";
import type { HttpResponse, RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerDeps } from "../../pipeline/route.ts";
import { toPublicText } from "./endpoints.ts";

const DEFAULT_LIMIT = 100;
/**
 * Maximum number of attempts in a response. The retry schedule has 20; redeliveries can add any
 * number.
 */
const MAX_ATTEMPTS_SHOWN = 100;

export const deliveriesParameters = lazy(() => ({
  status: oneOf(DELIVERY_STATUSES).describe("Filter by delivery status"),
  eventType: oneOf(ALL_EVENT_TYPES).describe("Filter by event type"),
  since: instant().describe("Only deliveries created at or after this time"),
  limit: pageSize().describe(`Maximum number of deliveries; ${DEFAULT_LIMIT} by default`),
  cursor: cursor(),
}));

/** Responds with one page of deliveries, also without a `limit`: an endpoint may have a million. */
export const listDeliveries =
  ({ rt }: HandlerDeps) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    const parameters = parseParameters(deliveriesParameters(), context.request.search);
    const { id } = getOwnEndpoint(rt, key, pathId(context));
    const business = getBusinessOfKey(rt, key);
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
    const data = rows.map((delivery) => toPublicDelivery(rt, delivery, timezone));
    const nextCursor = reached && encodeCursor(path, { sortOrder: 0, id: reached });
    return respondPage(rt, context, business, path, { data, nextCursor });
  };

export const handleGetDelivery = ({ rt }: HandlerDeps) =>
  handleGet({ rt }, getOwnDelivery, (delivery, timezone) => withAttempts(rt, delivery, timezone));

/** Responds with 202, because the delivery is pending again but not yet sent. */
export const handleRedeliverDelivery = ({ rt }: HandlerDeps) =>
  handleChange(
    { rt },
    getOwnDelivery,
    readOptionalJsonObject,
    ({ id }, timezone, body) => {
      parseRequest(emptyBody(), body);
      return () => withAttempts(rt, redeliverDelivery(rt, id), timezone);
    },
    { status: 202 },
  );

const withAttempts = (rt: Runtime, delivery: DeliveryRow, timezone: string) => ({
  ...toPublicDelivery(rt, delivery, timezone),
  attempts: rt.store.deliveries
    .listAttempts(delivery.id, MAX_ATTEMPTS_SHOWN)
    .map((attempt) => toPublicAttempt(attempt, timezone)),
});

/**
 * Returns a page and the ID after which the next one continues, null at the end. A page can be
 * short although more follow, because a search with a rare filter stops after a limited number of
 * rows.
 */
function readPage(
  rt: Runtime,
  filter: SearchFilter,
  before: string | null,
  since: number,
  limit: number,
): { rows: DeliveryRow[]; reached: string | null } {
  const start = before === null ? null : { id: before, isIncluded: false };
  const found = rt.store.deliverySearch.listPage(filter, "older", start, limit + 1);
  const rows = found.rows.slice(0, limit);
  const [next] = found.rows.slice(limit);
  const reached = next ? (rows.at(-1)?.id ?? null) : found.reached;
  // IDs increase with time, so all further deliveries are older than `since`.
  const isLast = reached === null || (next?.id ?? reached) < minIdAt("dlv", since);
  return {
    rows: rows.filter(({ createdAt }) => createdAt >= since),
    reached: isLast ? null : reached,
  };
}

function toPublicDelivery(
  rt: Runtime,
  delivery: DeliveryRow,
  timezone: string,
): z.output<typeof publicDelivery> {
  const { id, endpointId, eventId, eventType, sequence, status, attemptCount } = delivery;
  const { nextAttemptAt, heldUntil } = nextAttemptOf(delivery, rt.now());
  return {
    id,
    endpointId,
    eventId,
    eventType,
    sequence,
    status,
    attemptCount,
    nextAttemptAt: formatInstantOrNull(nextAttemptAt, timezone),
    heldUntil: formatInstantOrNull(heldUntil, timezone),
    lastStatusCode: delivery.lastStatusCode,
    lastError: errorForPartners(delivery.lastError),
    createdAt: formatInstant(delivery.createdAt, timezone),
    deliveredAt: formatInstantOrNull(delivery.deliveredAt, timezone),
  };
}

const toPublicAttempt = (
  { n, at, durationMs, statusCode, outcome, error, responseText }: AttemptRow,
  timezone: string,
): z.output<typeof attempt> => ({
  n,
  at: formatInstant(at, timezone),
  statusCode,
  ...outcomeForPartners({ outcome, error, durationMs }),
  responseText: toPublicText(responseText),
});
