import { z } from "zod";
import { EVENT_TYPES } from "../../event-types.ts";
import { DELIVERY_STATUSES } from "../../webhooks/delivery-status.ts";
import { count, id, instant } from "./values.ts";

const eventType = z.enum(EVENT_TYPES);

export const endpoint = z.strictObject({
  id,
  name: z.string(),
  url: z.string(),
  events: z.array(eventType),
  status: z
    .enum(["ACTIVE", "DISABLED"])
    .describe("DISABLED: what happens is kept for it, and nothing is sent"),
  disabledReason: z
    .string()
    .nullable()
    .describe(
      "gone: its server answered 410; failing: for 5 days; manual: by the business; null: it is enabled",
    ),
  failingSince: instant.nullable().describe("When its deliveries began to fail; null: they do not"),
  createdAt: instant,
  updatedAt: instant,
});

const secret = z
  .string()
  .regex(/^whsec_/)
  .describe("Signs what it is sent. Keep it: it is in this answer and in no other");

export const endpointWithSecret = endpoint.extend({ secret });

export const rotatedEndpoint = endpoint.extend({
  secret,
  oldSecretEndsAt: instant.describe("Until then everything is signed with both"),
});

export const finishedRotation = endpoint.extend({
  finished: z.boolean().describe("false: there was no old secret to end"),
});

export const enabledEndpoint = endpoint.extend({
  recovered: count.describe("Deliveries that are on their way again"),
  cancelled: count.describe("Deliveries that were parked and will not be sent"),
});

const outcome = z
  .enum(["responded", "timed_out", "refused", "blocked", "unresolvable", "tls_failed"])
  .describe(
    "responded: with whatever status; refused: there was no connection; blocked: the address is not public; unresolvable: the host has no address",
  );
const statusCode = z.int().nullable().describe("null: there was no answer");

export const endpointTest = z.strictObject({
  ok: z.boolean().describe("Whether its server took it: a delivery would be DELIVERED"),
  url: z.string(),
  outcome,
  address: z
    .string()
    .nullable()
    .describe("The IP address that it was sent to; null: it came to no connection"),
  statusCode,
  error: z.string().nullable(),
  durationMs: z.number(),
  responseText: z.string().nullable(),
  eventType,
  headers: z.record(z.string(), z.string()).describe("As they were sent"),
  body: z.string().describe("As it was sent"),
});

export const delivery = z.strictObject({
  id,
  endpointId: id,
  eventId: id,
  eventType,
  sequence: z.int().describe("The event's place in the feed"),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe(
      "PENDING: to be sent, or sent again; EXHAUSTED: given up after the last attempt; PARKED: kept until its endpoint is enabled; CANCELLED: not to be sent any more; CORRUPT: its event was damaged where it is kept",
    ),
  attemptCount: count,
  nextAttemptAt: instant.nullable().describe("null: none is to come"),
  lastStatusCode: statusCode,
  lastError: z.string().nullable(),
  createdAt: instant,
  deliveredAt: instant.nullable(),
});

export const attempt = z.strictObject({
  n: z.int().min(1).describe("Counted from 1"),
  at: instant,
  durationMs: z.number(),
  statusCode,
  outcome,
  error: z.string().nullable(),
  responseText: z.string().nullable().describe("The beginning of what the receiver said"),
});

export const deliveryWithAttempts = delivery.extend({ attempts: z.array(attempt) });
