import { hash } from "node:crypto";
import type { Runtime } from "../app/runtime.ts";
import type { DeliveryResult } from "../app/webhooks/delivery-results.ts";
import { userAgent } from "../assets.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import { classifyOutcome, type Outcome, type OutcomeClass } from "../domain/webhooks/outcome.ts";
import { CORRUPT_SETTLEMENT, settle } from "../domain/webhooks/settle.ts";
import type { SigningKey } from "../domain/webhooks/signature.ts";
import { deliveryHeaders, type Send } from "../domain/webhooks/webhook-post.ts";
import type { AttemptRow } from "../store/deliveries.ts";
import type { DueRow } from "../store/due.ts";
import type { DestinationRow } from "../store/endpoints.ts";

const MAX_BODIES = 128;

export type Claim = {
  due: DueRow;
  destination: DestinationRow;
  /** The host whose limits apply; null if none do. */
  host: string | null;
  keys: readonly SigningKey[];
};

export type AttemptResult = DeliveryResult & { outcomeClass: OutcomeClass | undefined };

/** Never throws: an error affects only its delivery. */
export function createAttemptRunner(
  rt: Runtime,
  send: Send,
): (claim: Claim) => Promise<AttemptResult> {
  const findBody = createBodyCache(rt);
  const agent = userAgent();

  return async ({ due, destination, host, keys }) => {
    const { id: endpointId, businessId } = destination;
    const delivery = { due, endpointId, businessId, host };
    const body = findBody(due.eventId);
    if (body === undefined)
      return {
        ...delivery,
        settlement: CORRUPT_SETTLEMENT,
        attempt: null,
        isGone: false,
        outcomeClass: undefined,
      };

    const at = rt.now();
    const startedAt = rt.monotonic();
    const n = due.attemptCount + 1;
    let outcome: Outcome;
    try {
      const { id: deliveryId, eventId, eventType, sequence } = due;
      const sent = { deliveryId, eventId, eventType, sequence, attempt: n };
      const headers = deliveryHeaders(sent, agent, keys, at, body);
      const { url, allowPrivate: trusted, timeoutMs } = destination;
      outcome = await send({ url, trusted, timeoutMs, headers, body });
    } catch (error) {
      rt.log("error", "A delivery failed because of an internal error.", {
        delivery: due.id,
        error: (error as Error).stack,
      });
      outcome = {
        kind: "refused",
        error: "internal error in deskbell before sending; see its log",
      };
    }
    const now = rt.now();
    const outcomeClass = classifyOutcome(outcome, now);
    const tries = n - due.attemptsBefore;
    const settlement = settle(tries, outcome, outcomeClass, now, rt.randomFraction);
    const response = outcome.kind === "responded" ? outcome : undefined;
    const attempt: AttemptRow = {
      n,
      at,
      durationMs: Math.round(rt.monotonic() - startedAt),
      outcome: outcome.kind,
      statusCode: response?.statusCode ?? null,
      error: settlement.error,
      responseText: response?.responseText || null,
    };
    const isGone = outcomeClass.kind === "gone";
    return { ...delivery, settlement, attempt, outcomeClass, isGone };
  };
}

/**
 * Returns an event's body, read and verified once for all its deliveries; undefined if it is
 * damaged. SQLite does not detect damage inside a value, and a damaged body must not be signed and
 * sent.
 */
function createBodyCache(rt: Runtime): (eventId: string) => Buffer | undefined {
  const bodies = new BoundedCache<string, Buffer>(MAX_BODIES);
  return (eventId) => {
    const cached = bodies.get(eventId);
    if (cached !== undefined) return cached;
    const event = rt.store.events.findById(eventId);
    if (event === undefined || !hash("sha256", event.body, "buffer").equals(event.sha256))
      return undefined;
    bodies.set(eventId, event.body);
    return event.body;
  };
}
