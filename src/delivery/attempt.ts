import { userAgent } from "../assets.ts";
import type { DeliveryResult } from "../app/webhooks/delivery-results.ts";
import { deliveryHeaders, type Send } from "../domain/webhooks/webhook-post.ts";
import { CORRUPT_SETTLEMENT, settle } from "../domain/webhooks/settle.ts";
import type { SigningKey } from "../domain/webhooks/signature.ts";
import { classifyOutcome, type Outcome, type OutcomeClass } from "../domain/webhooks/outcome.ts";
import type { Runtime } from "../app/runtime.ts";
import type { AttemptRow } from "../store/deliveries.ts";
import type { DueRow } from "../store/due.ts";
import type { DestinationRow } from "../store/endpoints.ts";
import { createBodyCache } from "./body-cache.ts";

/** A delivery that was taken up. */
export type Claim = { due: DueRow; destination: DestinationRow; keys: readonly SigningKey[] };

/** What came of it, and what that tells of the endpoint; nothing when nothing was sent. */
export type AttemptResult = DeliveryResult & { outcomeClass: OutcomeClass | undefined };

/** Makes one attempt at a delivery. Never throws: whatever goes wrong belongs to this delivery alone. */
export function createAttemptRunner(
  rt: Runtime,
  send: Send,
): (claim: Claim) => Promise<AttemptResult> {
  const bodyOf = createBodyCache(rt);
  const agent = userAgent();

  return async ({ due, destination, keys }) => {
    const { id: endpointId, businessId } = destination;
    const body = bodyOf(due.eventId);
    if (body === undefined)
      return {
        due,
        endpointId,
        businessId,
        settlement: CORRUPT_SETTLEMENT,
        attempt: null,
        isGone: false,
        outcomeClass: undefined,
      };

    const at = rt.now();
    const started = rt.monotonic();
    const n = due.attemptCount + 1;
    let outcome: Outcome;
    try {
      const { id: deliveryId, eventId, eventType, sequence } = due;
      const cover = { deliveryId, eventId, eventType, sequence, attempt: n };
      const headers = deliveryHeaders(cover, agent, keys, at, body);
      const { url, allowPrivate: trusted, timeoutMs } = destination;
      outcome = await send({ url, trusted, timeoutMs, headers, body });
    } catch (error) {
      rt.log("error", "A delivery could not be sent.", {
        delivery: due.id,
        error: (error as Error).stack,
      });
      outcome = {
        kind: "refused",
        error: "deskbell failed before it could send; its log says more",
      };
    }
    const now = rt.now();
    const outcomeClass = classifyOutcome(outcome, now);
    const settlement = settle(
      n - due.attemptsBefore,
      outcome,
      outcomeClass,
      now,
      rt.randomFraction,
    );
    const answer = outcome.kind === "responded" ? outcome : undefined;
    const attempt: AttemptRow = {
      n,
      at,
      durationMs: Math.round(rt.monotonic() - started),
      outcome: outcome.kind,
      statusCode: answer?.statusCode ?? null,
      error: settlement.error,
      responseText: answer?.responseText || null,
    };
    return {
      due,
      endpointId,
      businessId,
      settlement,
      attempt,
      outcomeClass,
      isGone: outcomeClass.kind === "gone",
    };
  };
}
