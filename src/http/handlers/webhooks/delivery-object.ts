import type { z } from "zod";
import type { Runtime } from "../../../app/runtime.ts";
import { isHostLimited } from "../../../app/webhooks/host-limits.ts";
import { findSentEvent, sentHeaders } from "../../../app/webhooks/sent-request.ts";
import { bodyFor } from "../../../domain/events/envelope.ts";
import { mayReadEvent } from "../../../domain/events/event-types.ts";
import { formatInstant, formatInstantOrNull } from "../../../domain/local-time.ts";
import type {
  attempt,
  delivery as publicDelivery,
  deliveryWithAttempts,
} from "../../../domain/public/schemas/webhook.ts";
import { describeWaiting } from "../../../domain/webhooks/endpoint-state.ts";
import { nextAttemptOf } from "../../../domain/webhooks/failing-endpoint.ts";
import { errorForPartners, outcomeForPartners } from "../../../domain/webhooks/settle.ts";
import type { AnyCredential } from "../../../store/keys.ts";
import type { AttemptRow, DeliveryRow } from "../../../store/webhooks/deliveries.ts";
import type { EndpointRow } from "../../../store/webhooks/endpoints.ts";
import { timeInWords, toPublicText } from "./endpoint-object.ts";

// This file writes deliveries as partners see them.

/**
 * Maximum number of attempts in a response. The retry schedule has 20; redeliveries can add any
 * number.
 */
const MAX_ATTEMPTS_SHOWN = 100;

/** Returns a delivery with its request and its attempts. */
export function toPublicWithAttempts(
  rt: Runtime,
  key: AnyCredential,
  delivery: DeliveryRow,
  timezone: string,
): z.output<typeof deliveryWithAttempts> {
  const attempts = rt.store.deliveries.listAttempts(delivery.id, MAX_ATTEMPTS_SHOWN);
  return {
    ...createToPublicDelivery(rt, timezone)(delivery),
    request: toPublicRequest(rt, key, delivery, attempts.at(-1)),
    attempts: attempts.map((attempt) => toPublicAttempt(attempt, timezone)),
  };
}

/** Stands for each signature in the headers of a request. */
const HIDDEN = "HIDDEN";

/**
 * Returns the request of a delivery; null if its event is no longer stored, was altered, or may not
 * be read by the key. The signatures are hidden: a key that only reads could otherwise send a
 * signed event to the receiver.
 */
function toPublicRequest(
  rt: Runtime,
  key: AnyCredential,
  delivery: DeliveryRow,
  lastAttempt: AttemptRow | undefined,
): z.output<typeof deliveryWithAttempts>["request"] {
  const event = findSentEvent(rt, delivery);
  // A partner sees what it may read at the business of the delivery, if it still reaches the
  // business.
  const reader =
    key.businessId === null ? rt.store.partnerAccess.find(key.partnerId, delivery.businessId) : key;
  if (event === undefined || !event.isIntact || !reader || !mayReadEvent(reader, event))
    return null;
  return {
    url: rt.store.endpoints.findById(delivery.endpointId)?.url ?? null,
    headers: sentHeaders(delivery, event, lastAttempt, HIDDEN),
    body: bodyFor(reader, event).toString(),
  };
}

/** Returns a function that shows deliveries as partners see them, and reads each endpoint once. */
export function createToPublicDelivery(rt: Runtime, timezone: string) {
  const now = rt.now();
  const format = timeInWords(timezone);
  const endpoints = new Map<string, { row: EndpointRow | undefined; isHostLimited: boolean }>();
  const findEndpoint = (id: string) => {
    const known = endpoints.get(id);
    if (known !== undefined) return known;
    const row = rt.store.endpoints.findById(id);
    const endpoint = { row, isHostLimited: row !== undefined && isHostLimited(rt, row) };
    endpoints.set(id, endpoint);
    return endpoint;
  };
  return (delivery: DeliveryRow): z.output<typeof publicDelivery> => {
    const { id, endpointId, eventId, eventType, sequence, status, attemptCount } = delivery;
    const { nextAttemptAt, heldUntil } = nextAttemptOf(delivery, now);
    const { row, ...hostLimit } = findEndpoint(endpointId);
    const waiting = describeWaiting(delivery, row, { now, format, ...hostLimit });
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
      waiting: waiting && { ...waiting, until: formatInstantOrNull(waiting.until, timezone) },
      lastStatusCode: delivery.lastStatusCode,
      lastError: errorForPartners(delivery.lastError),
      createdAt: formatInstant(delivery.createdAt, timezone),
      deliveredAt: formatInstantOrNull(delivery.deliveredAt, timezone),
    };
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
