import { describeFlags, SENT_WHEN } from "../../src/domain/events/event-descriptions.ts";
import {
  ADDITIONAL_EVENT_TYPES,
  ALL_EVENT_TYPES,
  type EventType,
} from "../../src/domain/events/event-types.ts";
import { type SignatureHeaders, TOLERANCE_SEC } from "../../src/domain/webhooks/webhook-post.ts";
import { exampleEvent } from "./examples.ts";
import type { HeaderSpec } from "../../src/http/openapi/headers.ts";
import { describeHeader } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import { eventSchemaName, refTo } from "../../src/http/openapi/schemas.ts";

/**
 * Headers of a delivery. The `satisfies` clause ensures that each header of `SignatureHeaders` is
 * described.
 */
const DELIVERY_HEADERS = {
  "X-Service-Event": { description: "Event type", example: "service.updated" },
  "X-Service-Delivery": {
    description: "ID of the delivery",
    example: "dlv_06gzfjm44t8c9kf1ccbxp7rfb",
  },
  "X-Service-Attempt": {
    description: "Number of the attempt, starting at 1",
    example: 1,
  },
  "X-Service-Sequence": {
    description: "Position of the event in the business's feed; 0 for a test event",
    example: 1842,
  },
  "X-Service-Signature": {
    description: `\`t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 of \`t\`, a full stop and the raw body, keyed with the signing secret. During a rotation there are two v1 values. Accept the request if one of them matches and t is within ${TOLERANCE_SEC} seconds of your clock.`,
    schema: { type: "string", pattern: "^t=[0-9]+(,v1=[0-9a-f]{64})+$" },
    example: `t=1795176000,v1=${"5257a869e7ecebeda32affa62cdca3fa".repeat(2)}`,
  },
  "webhook-id": {
    description: "Standard Webhooks: ID of the event",
    example: "evt_06gzfjm44jbnv0hmhvsz14qc5",
  },
  "webhook-timestamp": {
    description: "Standard Webhooks: Unix timestamp in seconds",
    example: "1795176000",
  },
  "webhook-signature": {
    description:
      "Standard Webhooks: `v1,<base64>`; two values separated by a space during a rotation of the secret",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  },
} satisfies Record<keyof SignatureHeaders | `X-Service-${string}`, HeaderSpec>;

export const WEBHOOK_HEADERS = {
  ...Object.fromEntries(
    Object.entries<HeaderSpec>(DELIVERY_HEADERS).map(([name, header]) => [
      name,
      { ...describeHeader(header), required: true },
    ]),
  ),
  "X-Service-Test": {
    description: "`true` for test events, whose ID starts with `evt_test_`; absent otherwise",
    schema: { const: "true" },
    example: "true",
  },
};

export const describeWebhooks = (): JsonObject =>
  Object.fromEntries(ALL_EVENT_TYPES.map((type) => [type, { post: describeEvent(type) }]));

function describeEvent(type: EventType): JsonObject {
  const example = exampleEvent(type);
  return {
    operationId: `on${eventSchemaName(type)}`,
    tags: ["Webhooks"],
    summary: summaryOf(type),
    description: [
      SENT_WHEN[type],
      ...(isAdditional(type) ? ["Subscribe to it by name: `all` leaves it out."] : []),
      describeFlags(type),
    ].join(" "),
    security: [],
    parameters: Object.keys(WEBHOOK_HEADERS).map((name) => ({ $ref: refTo("parameters", name) })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: refTo("schemas", eventSchemaName(type)) },
          ...(example !== undefined && { example }),
        },
      },
    },
    responses: {
      "2XX": {
        description: "Accepted. After any other status except 410, the event is sent again.",
      },
      410: { description: "The endpoint is gone: deskbell disables it immediately." },
    },
  };
}

const isAdditional = (type: EventType): boolean =>
  (ADDITIONAL_EVENT_TYPES as readonly EventType[]).includes(type);

/** Returns an event type in words: `menu_category.reordered` -> `Menu category reordered`. */
function summaryOf(type: EventType): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
