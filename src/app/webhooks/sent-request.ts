import { hash } from "node:crypto";
import { bodyFor } from "../../domain/events/envelope.ts";
import { deliveryHeaders } from "../../domain/webhooks/webhook-post.ts";
import { userAgent } from "../../platform/assets.ts";
import type { EventRow } from "../../store/events.ts";
import type { AttemptRow, DeliveryRow } from "../../store/webhooks/deliveries.ts";
import type { Runtime } from "../runtime.ts";

// The requests of deliveries are not stored: their bodies are computed from the event, and their
// headers from the delivery and its last attempt.

export type SentEvent = EventRow & {
  /** Whether the stored event is unaltered; an altered event is never sent. */
  isIntact: boolean;
};

/**
 * Returns the event of a delivery, with the body that its endpoint receives; undefined if the event
 * is no longer stored. An altered event has its stored body.
 */
export function findSentEvent(
  rt: Runtime,
  { eventId, endpointId }: Pick<DeliveryRow, "eventId" | "endpointId">,
): SentEvent | undefined {
  const event = rt.store.events.findById(eventId);
  if (event === undefined) return undefined;
  const keyId = rt.store.endpoints.findKeyId(endpointId);
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  const isIntact = hash("sha256", event.body, "buffer").equals(event.sha256);
  return { ...event, isIntact, body: isIntact ? bodyFor(key, event) : event.body };
}

/**
 * Returns the headers of the last attempt. If no attempt is stored, the headers are those of the
 * next attempt, with the time of the event. Signatures are not stored.
 * @param last the last attempt
 * @param signature the text to show in place of each signature
 */
export function sentHeaders(
  { id: deliveryId, eventId, eventType, sequence, attemptCount }: DeliveryRow,
  { body, createdAt }: Pick<EventRow, "body" | "createdAt">,
  last: AttemptRow | undefined,
  signature: string,
): Record<string, string> {
  const at = last?.at ?? createdAt;
  const attempt = last?.n ?? attemptCount + 1;
  const info = { deliveryId, eventId, eventType, sequence, attempt };
  return {
    ...deliveryHeaders(info, userAgent(), [], at, body),
    "X-Service-Signature": `t=${Math.floor(at / 1000)},v1=${signature}`,
    "webhook-signature": `v1,${signature}`,
  };
}
