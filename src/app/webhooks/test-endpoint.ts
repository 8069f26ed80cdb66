import type { Runtime } from "../runtime.ts";
import { userAgent } from "../../platform/assets.ts";
import { AppError } from "../../domain/errors.ts";
import { bodyFor } from "../../domain/events/envelope.ts";
import { EVENT_TYPES, type EventType } from "../../domain/events/event-types.ts";
import {
  deliveryHeaders,
  type WebhookPost,
  signingKey,
} from "../../domain/webhooks/webhook-post.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import { describeFailure, classifyOutcome, type Outcome } from "../../domain/webhooks/settle.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { EndpointOwner, EndpointRow } from "../../store/webhooks/endpoints.ts";
import { endBackoff, getEndpoint } from "./endpoint-lifecycle.ts";
import { assertKeyMaySubscribe } from "./endpoint-owner.ts";
import { verifyHostOf } from "./host-limits.ts";
import { serializeEnvelope } from "../events.ts";
import { draftSample } from "./sample-events.ts";

/** Extra time after the timeout, because an attempt that times out ends a little later. */
const MARGIN_MS = 500;

/**
 * Returns a sender whose attempts all take the same time if they get no response. Otherwise
 * partners could learn from the time which ports are closed.
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
  /** Why the test failed; null on success. */
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

function noSampleError(type: EventType): AppError {
  const detail = `The business has no object for an event ${type}.`;
  return new AppError("validation_failed", detail, {
    fix: "choose another event type",
    issues: [{ code: "no_sample", pointer: "#/eventType", detail }],
  });
}

type TestOptions = {
  /** The default is the first subscribed type for which the business has an object. */
  eventType?: EventType | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * Returns the business whose objects a test event is about: the business of the endpoint, or the
 * first business that the partner of the endpoint can access.
 */
function findSampleBusiness(
  rt: Runtime,
  { businessId, partnerId }: EndpointOwner,
): BusinessRow | undefined {
  const id = businessId ?? rt.store.partnerAccess.findFirstBusinessId(partnerId ?? "");
  return id === undefined ? undefined : rt.store.businesses.findById(id);
}

/**
 * Sends one signed test event immediately. The event is not stored and does not count as a
 * delivery, so a disabled endpoint can be tested.
 * @throws AppError resource_not_found; insufficient_scope if the endpoint's key may not receive the
 * event type; validation_failed if the business has no object for it
 */
export async function testEndpoint(
  rt: Runtime,
  endpointId: string,
  sendOnce: SendOnce,
  { eventType, signal }: TestOptions = {},
): Promise<TestResult> {
  const endpoint = getEndpoint(rt, endpointId);
  const { keyId, url, allowPrivate: trusted, timeoutMs, events } = endpoint;
  const business = findSampleBusiness(rt, endpoint);
  if (!business)
    throw new AppError("resource_not_found", `There is no business of ${endpointId} to test with.`);
  const signingKeys = rt.store.endpointSecrets
    .listValid(endpointId, rt.now())
    .map(({ id, sealed }) => signingKey(rt.secrets.decrypt(sealed, id)));

  if (eventType !== undefined) assertKeyMaySubscribe(rt, keyId, [eventType]);
  // Every business has a catalog, so there is a sample of at least one type.
  const types = eventType === undefined ? [...events, ...EVENT_TYPES] : [eventType];
  const draft = types
    .values()
    .map((type) => draftSample(rt, business, type))
    .find((draft) => draft !== undefined);
  if (draft === undefined) throw noSampleError(types[0] as EventType);
  const eventId = rt.newId("evt").replace("evt_", "evt_test_");
  const at = rt.now();
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  const sample = serializeEnvelope(business, draft, eventId, at);
  const body = bodyFor(key, { type: draft.type, body: sample });
  const delivery = {
    deliveryId: rt.newId("dlv"),
    eventId,
    eventType: draft.type,
    attempt: 1,
    sequence: 0,
  };
  const headers = {
    ...deliveryHeaders(delivery, userAgent(), signingKeys, at, body),
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
