import { userAgent } from "../../assets.ts";
import { createSender } from "../../delivery/sender.ts";
import { createIdSource } from "../../domain/ids.ts";
import { deliveryHeaders } from "../../domain/webhooks/webhook-post.ts";
import { signingKey } from "../../domain/webhooks/signature.ts";
import { classifyOutcome, type Outcome } from "../../domain/webhooks/outcome.ts";
import { systemRandom, wallClock } from "../../app/runtime.ts";
import type { FeedEvent } from "./change-feed.ts";

const TIMEOUT_MS = 10_000;

type Forwarded = { outcome: Outcome; isAccepted: boolean; durationMs: number };

/** Returns a sender of events to a partner's URL as webhooks, signed with the given secret. */
export function createForwarder(url: string, secret: string) {
  const keys = [signingKey(secret)];
  const newId = createIdSource(wallClock, systemRandom);
  const sender = createSender({ allowHttp: true, allowPrivate: [] }, wallClock);
  return {
    /** Sends the same bytes as a webhook would: JSON.stringify restores the stored text. */
    async forward(event: FeedEvent): Promise<Forwarded> {
      const body = Buffer.from(JSON.stringify(event));
      const cover = {
        deliveryId: newId("dlv"),
        eventId: event.id,
        eventType: event.type,
        attempt: 1,
        sequence: 0,
      };
      const startedAt = wallClock();
      // The feed does not contain sequence numbers.
      const { "X-Service-Sequence": _, ...headers } = deliveryHeaders(
        cover,
        userAgent(),
        keys,
        startedAt,
        body,
      );
      const outcome = await sender.send({
        url,
        trusted: true,
        timeoutMs: TIMEOUT_MS,
        headers,
        body,
      });
      const endedAt = wallClock();
      return {
        outcome,
        isAccepted: classifyOutcome(outcome, endedAt).kind === "success",
        durationMs: endedAt - startedAt,
      };
    },
    [Symbol.asyncDispose]: sender.close,
  };
}
