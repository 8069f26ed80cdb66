import type { Runtime } from "../runtime.ts";
import { userAgent } from "../../platform/assets.ts";
import { AppError } from "../../domain/errors.ts";
import { bodyFor } from "../../domain/envelope.ts";
import { EVENT_TYPES, type EventType } from "../../domain/event-types.ts";
import {
  deliveryHeaders,
  type WebhookPost,
  signingKey,
} from "../../domain/webhooks/webhook-post.ts";
import { redactSecrets } from "../../domain/text.ts";
import { describeFailure, classifyOutcome, type Outcome } from "../../domain/webhooks/settle.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { endBackoff, getEndpoint } from "./endpoint-lifecycle.ts";
import { verifyHostOf } from "./host-limits.ts";
import { serializeEnvelope } from "../events.ts";
import { draftSample } from "./sample-events.ts";

/** Extra time after the timeout, because an attempt that times out ends a little later. */
const MARGIN_MS = 500;

/**
 * Returns a sender whose attempts without a response all end at the same time after their start. An
 * earlier end would tell partners which ports are closed.
 * @param wait resolves after a time, or as soon as the signal aborts
 */
export const withEqualFailures =
  (
    { monotonic }: Pick<Runtime, "monotonic">,
    sendOnce: SendOnce,
    wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>,
  ): SendOnce =>
  async (post, signal) => {
    const endsAt = monotonic() + post.timeoutMs + MARGIN_MS;
    const result = await sendOnce(post, signal);
    if (result.outcome.kind !== "responded") await wait(endsAt - monotonic(), signal);
    return result;
  };

/** Sends one POST over a new connection. `address` is null if no connection was made. */
export type SendOnce = (
  post: WebhookPost,
  signal?: AbortSignal,
) => Promise<{ outcome: Outcome; address: string | null }>;

export type TestResult = {
  ok: boolean;
  url: string;
  outcome: Outcome["kind"];
  address: string | null;
  statusCode: number | null;
  /** Null on success. */
  error: string | null;
  durationMs: number;
  responseText: string;
  eventType: EventType;
  headers: Record<string, string>;
  body: string;
};

/**
 * Verifies the host of an endpoint and ends its backoff. Call it after a test that got a 2xx
 * response.
 */
export function recordAcceptedTest(rt: Runtime, endpoint: EndpointRow): void {
  verifyHostOf(rt, endpoint);
  endBackoff(rt, endpoint.id);
}

/**
 * Sends one signed test event immediately. Its type is the first subscribed one for which the
 * business has an object. The event is neither stored nor counted, so a disabled endpoint can be
 * tested, too.
 * @throws AppError resource_not_found
 */
export async function testEndpoint(
  rt: Runtime,
  endpointId: string,
  sendOnce: SendOnce,
  signal?: AbortSignal,
): Promise<TestResult> {
  const endpoint = getEndpoint(rt, endpointId);
  const { businessId, keyId, url, allowPrivate: trusted, timeoutMs, events } = endpoint;
  const business = rt.store.businesses.findById(businessId);
  if (!business)
    throw new AppError("resource_not_found", `The business of ${endpointId} does not exist.`);
  const keys = rt.store.endpointSecrets
    .listValid(endpointId, rt.now())
    .map(({ id, sealed }) => signingKey(rt.secrets.decrypt(sealed, id)));

  // Every business has a catalog, so there is a sample of at least one type.
  const types = [...events, ...EVENT_TYPES];
  const draft = types
    .values()
    .map((type) => draftSample(rt, business, type))
    .find((draft) => draft !== undefined);
  if (draft === undefined) throw new Error("No event type has a sample.");
  const eventId = rt.newId("evt").replace("evt_", "evt_test_");
  const at = rt.now();
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  const sample = serializeEnvelope(business, draft, eventId, at);
  const body = bodyFor(key, { type: draft.type, body: sample });
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
  const { outcome, address } = await sendOnce({ url, trusted, timeoutMs, headers, body }, signal);
  const ok = classifyOutcome(outcome, at).kind === "success";
  const hasResponse = outcome.kind === "responded";
  return {
    ok,
    url,
    outcome: outcome.kind,
    address,
    statusCode: hasResponse ? outcome.statusCode : null,
    error: ok ? null : describeFailure(outcome),
    durationMs: Math.round(rt.monotonic() - started),
    responseText: hasResponse ? redactSecrets(outcome.responseText) : "",
    eventType: draft.type,
    headers,
    body: body.toString(),
  };
}
