import { userAgent } from "../../../platform/assets.ts";
import { deliveryHeaders } from "../../../domain/webhooks/webhook-post.ts";
import type { EventRow } from "../../../store/events.ts";
import type { DeliveryDetail } from "../state/snapshot.ts";

/**
 * Returns the headers of the last attempt, or those of the first if there was none. Signatures are
 * not stored.
 */
export function requestHeaders(
  { row, attempts }: DeliveryDetail,
  { body, createdAt }: EventRow,
  signature: string,
): Record<string, string> {
  const last = attempts.at(-1);
  const at = last?.at ?? createdAt;
  const { id: deliveryId, eventId, eventType, sequence } = row;
  const attempt = last?.n ?? row.attemptCount + 1;
  const info = { deliveryId, eventId, eventType, sequence, attempt };
  return {
    ...deliveryHeaders(info, userAgent(), [], at, body),
    "X-Service-Signature": `t=${Math.floor(at / 1000)},v1=${signature}`,
    "webhook-signature": `v1,${signature}`,
  };
}
