import { userAgent } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { EVENT_TYPES, type EventType } from "../../domain/event-types.ts";
import { deliveryHeaders, type WebhookPost } from "../../domain/webhooks/webhook-post.ts";
import { redactSecrets } from "../../domain/webhooks/redact-secrets.ts";
import { signingKey } from "../../domain/webhooks/signature.ts";
import { describeFailure, classifyOutcome, type Outcome } from "../../domain/webhooks/outcome.ts";
import type { Runtime } from "../runtime.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";
import { serializeEnvelope } from "../events.ts";
import { draftSample } from "./sample-events.ts";

/**
 * One POST over a connection of its own, with the address that it went to; null: it came to no connection.
 * @param givenUp it is broken off, as nobody waits for its outcome any more
 */
export type SendOnce = (
  post: WebhookPost,
  givenUp?: AbortSignal,
) => Promise<{ outcome: Outcome; address: string | null }>;

export type TestResult = {
  ok: boolean;
  url: string;
  outcome: Outcome["kind"];
  address: string | null;
  statusCode: number | null;
  /** Why it failed; null: it did not. */
  error: string | null;
  durationMs: number;
  responseText: string;
  eventType: EventType;
  /** As they were sent. */
  headers: Record<string, string>;
  body: string;
};

/**
 * Sends one signed event at once, of the first type subscribed to that there is something to tell of. It is in no feed, on no
 * file, and counts for nothing: a disabled endpoint can be tested as well.
 * @throws AppError resource_not_found
 */
export async function testEndpoint(
  rt: Runtime,
  endpointId: string,
  sendOnce: SendOnce,
  givenUp?: AbortSignal,
): Promise<TestResult> {
  const { businessId, url, allowPrivate: trusted, timeoutMs, events } = getEndpoint(rt, endpointId);
  const business = rt.store.businesses.findById(businessId);
  if (!business) throw new AppError("resource_not_found", `The business of ${endpointId} is gone.`);
  const keys = rt.store.endpointSecrets
    .listValid(endpointId, rt.now())
    .map(({ id, sealed }) => signingKey(rt.secrets.open(sealed, id)));

  // Any business has a catalog.
  const types = [...events, ...EVENT_TYPES];
  const draft = types
    .values()
    .map((type) => draftSample(rt, business, type))
    .find((draft) => draft !== undefined);
  if (draft === undefined) throw new Error("There is nothing at all to tell of.");
  const eventId = rt.newId("evt").replace("evt_", "evt_test_");
  const at = rt.now();
  const body = serializeEnvelope(business, draft, eventId, at);
  const cover = {
    deliveryId: rt.newId("dlv"),
    eventId,
    eventType: draft.type,
    attempt: 1,
    sequence: 0,
  };
  const headers = {
    ...deliveryHeaders(cover, userAgent(), keys, at, body),
    "X-Service-Test": "true",
  };

  const started = rt.monotonic();
  const { outcome, address } = await sendOnce({ url, trusted, timeoutMs, headers, body }, givenUp);
  const ok = classifyOutcome(outcome, at).kind === "success";
  const isAnswer = outcome.kind === "responded";
  return {
    ok,
    url,
    outcome: outcome.kind,
    address,
    statusCode: isAnswer ? outcome.statusCode : null,
    error: ok ? null : describeFailure(outcome),
    durationMs: Math.round(rt.monotonic() - started),
    responseText: isAnswer ? redactSecrets(outcome.responseText) : "",
    eventType: draft.type,
    headers,
    body: body.toString(),
  };
}
