import { z } from "zod";
import { ALL_EVENT_TYPES } from "../../events/event-types.ts";
import { BACKOFF_REASONS } from "../../webhooks/failing-endpoint.ts";
import { ENDPOINT_STATES, WAITING_REASONS } from "../../webhooks/endpoint-state.ts";
import { DELIVERY_STATUSES } from "../../webhooks/settle.ts";
import { count, flag, id, instant, orNull } from "./values.ts";

const eventType = z.enum(ALL_EVENT_TYPES);

const endpointState = z
  .strictObject({
    code: z
      .enum(ENDPOINT_STATES)
      .describe(
        "WORKING: events are sent and accepted; FAILING: attempts fail and are repeated; HELD: nothing is sent for now; DISABLED: nothing is sent until the endpoint is enabled",
      ),
    reason: orNull(
      z.string(),
      "Of FAILING and HELD: `unauthorized`: the receiver responds with 401 or 403; `http_error`: it responds with another error; `no_response`: it cannot be reached, or does not respond in time; `retry_after`: it sent Retry-After; `host_limit`: its host has accepted no event yet, and gets no more for now. Of DISABLED: `disabledReason`. null for WORKING",
    ),
    since: orNull(
      instant,
      "When the endpoint was created or enabled, its deliveries started to fail, or it was disabled; null if unknown",
    ),
    until: orNull(instant, "When the next attempt is made, for HELD; null if unknown"),
    text: z.string().describe("The state, its reason and what to do, in English"),
  })
  .describe("Whether events are sent to the endpoint, and if not, why");

export const endpoint = z.strictObject({
  id,
  name: z.string(),
  url: z.string().describe("URL that events are sent to"),
  events: z.array(eventType).describe("Event types that the endpoint subscribes to"),
  status: z
    .enum(["ACTIVE", "DISABLED"])
    .describe("DISABLED: events are kept for the endpoint but not sent"),
  disabledReason: orNull(
    z.string(),
    "`gone`: the receiver responded with 410; `failing`: it failed for more than 5 days; `manual`: the business disabled it; `paused`: a partner set `status` to DISABLED; `key_revoked` and `key_expired`: its API key has ended; null if the endpoint is active",
  ),
  state: endpointState,
  failingSince: orNull(instant, "When its deliveries started to fail; null if they succeed"),
  heldUntil: orNull(
    instant,
    "Until then nothing is sent, because the deliveries fail or the receiver sent Retry-After; then one delivery is sent, and the others follow once one succeeds. null if nothing delays the deliveries",
  ),
  heldReason: orNull(
    z.enum(BACKOFF_REASONS),
    "`failing`: attempts fail, or get no response; `retry_after`: the receiver sent Retry-After; null if nothing delays the deliveries",
  ),
  lastDeliveredAt: orNull(
    instant,
    "When the receiver last accepted an event, to the second; null if it never has",
  ),
  lastStatusCode: orNull(
    z.int(),
    "HTTP status of the last failed attempt; null if it had no response, or if its deliveries succeed",
  ),
  lastError: orNull(
    z.string(),
    "Why the last failed attempt failed; null if its deliveries succeed",
  ),
  oldSecretEndsAt: orNull(
    instant,
    "Until then, events are also signed with the old secret; null if no rotation is in progress",
  ),
  version: z
    .int()
    .min(1)
    .describe(
      "Rises with each change of the settings, status or secrets of the endpoint. The results of its deliveries (`state`, `failingSince`, `heldUntil`, `last…`) do not count. The ETag has this number",
    ),
  createdAt: instant,
  updatedAt: instant.describe(
    "When its settings or status last changed; a new signing secret does not count",
  ),
});

const secret = z
  .string()
  .regex(/^whsec_/)
  .describe("Signing secret; store it, because no other response contains it");

export const endpointWithSecret = endpoint.extend({ secret });

export const rotatedEndpoint = endpoint.extend({
  secret,
  oldSecretEndsAt: instant.describe("Until then, events are signed with both secrets"),
});

export const finishedRotation = endpoint.extend({
  finished: flag("false if there was no old secret to remove"),
});

export const enabledEndpoint = endpoint.extend({
  recovered: count.describe("Number of parked deliveries that are being sent"),
  cancelled: count.describe("Number of parked deliveries that were cancelled"),
});

const outcome = z
  .enum(["responded", "timed_out", "refused", "blocked", "unresolvable", "tls_failed"])
  .describe(
    "responded: the receiver sent a response, with any status; refused: it could not be reached or did not respond in time. The business can see the exact reason. The other values are no longer returned",
  );
const statusCode = orNull(z.int(), "HTTP status of the response; null if there was no response");
const error = orNull(z.string(), "Why it failed; null if it did not fail");
const responseText = orNull(
  z.string(),
  "Beginning of the response body; null or empty if there was none",
);
const durationMs = z.number().describe("In milliseconds; 0 if there was no response");

export const endpointTest = z.strictObject({
  ok: flag("Whether the receiver accepted the event with a 2xx status"),
  url: z.string(),
  outcome,
  address: orNull(
    z.string(),
    "Public IP address that responded; null if there was no response, or not from a public address",
  ),
  statusCode,
  error,
  durationMs,
  responseText,
  eventType,
  headers: z.record(z.string(), z.string()).describe("Request headers that were sent"),
  body: z.string().describe("Request body that was sent"),
});

export const delivery = z.strictObject({
  id,
  endpointId: id,
  eventId: id,
  eventType,
  sequence: z.int().describe("Position of the event in the business's feed"),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe(
      "PENDING: waiting for its next attempt; EXHAUSTED: every attempt failed; PARKED: waiting until the endpoint is enabled; CANCELLED: will not be sent; CORRUPT: the stored event was altered and cannot be sent",
    ),
  attemptCount: count,
  nextAttemptAt: orNull(
    instant,
    "When the next attempt is due, or when its endpoint is tried again, if that is later; null if there is none",
  ),
  heldUntil: orNull(
    instant,
    "The same time if the delivery waits for its endpoint to be tried again; otherwise null",
  ),
  waiting: z
    .strictObject({
      reason: z
        .enum(WAITING_REASONS)
        .describe(
          "due: it is sent in its turn; retry: it waits for its next attempt; failing, retry_after and host_limit: it waits for its endpoint; disabled: its endpoint is disabled",
        ),
      until: orNull(instant, "When it is sent, or its endpoint is tried again; null if unknown"),
      text: z.string().describe("The reason, in English"),
    })
    .nullable()
    .describe("Why it has not been sent yet; null if it has ended"),
  lastStatusCode: statusCode,
  lastError: error,
  createdAt: instant,
  deliveredAt: orNull(instant, "When the event was delivered; null if it has not been"),
});

export const attempt = z.strictObject({
  n: z.int().min(1).describe("Number of the attempt, starting at 1"),
  at: instant,
  durationMs,
  statusCode,
  outcome,
  error,
  responseText,
});

const deliveryRequest = z
  .strictObject({
    url: orNull(z.string(), "URL of the endpoint now; null if it was deleted"),
    headers: z
      .record(z.string(), z.string())
      .describe(
        "Headers of the last attempt, or of the first if there was none, computed again. `HIDDEN` stands for each signature: signatures are not stored",
      ),
    body: z
      .string()
      .describe(
        "The body that the endpoint receives. After an erasure of its guest, it is the body without their data",
      ),
  })
  .nullable()
  .describe(
    "The request; null if the event is no longer kept, was altered, or may not be read by the API key, and in responses of `…/redeliver`",
  );

export const deliveryWithAttempts = delivery.extend({
  request: deliveryRequest,
  attempts: z.array(attempt),
});

export const redelivery = z.strictObject({
  count: count.describe(
    "Number of deliveries that are being sent again; with `dryRun=true`, that would be sent again",
  ),
  disabledEndpointIds: z
    .array(id)
    .describe("Endpoints whose deliveries were left out, because they are disabled"),
});
