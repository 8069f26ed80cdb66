import { z } from "zod";
import { ALL_EVENT_TYPES } from "../../event-types.ts";
import { BACKOFF_REASONS } from "../../webhooks/failing-endpoint.ts";
import { DELIVERY_STATUSES } from "../../webhooks/settle.ts";
import { count, flag, id, instant, orNull } from "./values.ts";

const eventType = z.enum(ALL_EVENT_TYPES);

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
  failingSince: orNull(instant, "When its deliveries started to fail; null if they succeed"),
  heldUntil: orNull(
    instant,
    "Until then nothing is sent, because the deliveries fail or the receiver sent Retry-After; then one delivery is sent, and the others follow once one succeeds. null if nothing delays the deliveries",
  ),
  heldReason: orNull(
    z.enum(BACKOFF_REASONS),
    "`failing`: attempts fail, or get no response; `retry_after`: the receiver sent Retry-After; null if nothing delays the deliveries",
  ),
  oldSecretEndsAt: orNull(
    instant,
    "Until then, events are also signed with the old secret; null if no rotation is in progress",
  ),
  version: z
    .int()
    .min(1)
    .describe(
      "Counts the changes of the endpoint's settings, status and secrets, but not of `failingSince` and `heldUntil`; also its ETag",
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
    "When the next attempt is due, or its endpoint is tried again if that is later; null if there is none",
  ),
  heldUntil: orNull(
    instant,
    "The same time if the delivery waits for its endpoint to be tried again; otherwise null",
  ),
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

export const deliveryWithAttempts = delivery.extend({ attempts: z.array(attempt) });
