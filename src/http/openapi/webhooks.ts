import { EVENT_TYPES, type EventType } from "../../domain/event-types.ts";
import { type SignatureHeaders, TOLERANCE_SEC } from "../../domain/webhooks/signature.ts";
import { exampleEvent } from "./examples.ts";
import type { JsonObject } from "./json-schema.ts";
import { refTo } from "./references.ts";
import { eventSchemaName } from "./schemas.ts";

const text = { type: "string" };

/** What every delivery is sent with (domain/webhooks/post.ts). */
const DELIVERY_HEADERS = {
  "X-Service-Event": { description: "The event's name", schema: text, example: "service.updated" },
  "X-Service-Delivery": {
    description: "The delivery's id",
    schema: text,
    example: "dlv_06gzfjm44t8c9kf1ccbxp7rfb",
  },
  "X-Service-Attempt": {
    description: "Which attempt this is, from 1",
    schema: { type: "integer" },
    example: 1,
  },
  "X-Service-Sequence": {
    description: "The event's place in the business's feed; 0 for a test",
    schema: { type: "integer" },
    example: 1842,
  },
  "X-Service-Signature": {
    description: `\`t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 with the signing secret over \`t\`, a full stop and the body as it came. While a secret is being rotated there are two v1. Accept when one matches and t is at most ${TOLERANCE_SEC} s off.`,
    schema: { type: "string", pattern: "^t=\\d+(,v1=[0-9a-f]{64})+$" },
    example: `t=1795176000,v1=${"5257a869e7ecebeda32affa62cdca3fa".repeat(2)}`,
  },
  "webhook-id": {
    description: "Standard Webhooks: the event's id",
    schema: text,
    example: "evt_06gzfjm44jbnv0hmhvsz14qc5",
  },
  "webhook-timestamp": {
    description: "Standard Webhooks: Unix seconds",
    schema: text,
    example: "1795176000",
  },
  "webhook-signature": {
    description:
      "Standard Webhooks 1.0: `v1,<base64>`, two of them with a space between while a secret is being rotated",
    schema: text,
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  },
} satisfies Record<keyof SignatureHeaders | `X-Service-${string}`, object>;

/** What is sent to an endpoint beside the event. */
export const WEBHOOK_HEADERS = {
  ...Object.fromEntries(
    Object.entries(DELIVERY_HEADERS).map(([name, header]) => [name, { ...header, required: true }]),
  ),
  "X-Service-Test": {
    description:
      "`true` with a test event (`…/test`), whose id begins with `evt_test_`; absent with any other",
    schema: { const: "true" },
    example: "true",
  },
};

/** What is sent to endpoints: one for each of the spec's event names. */
export const describeWebhooks = (): JsonObject =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeEvent(type) }]));

const describeEvent = (type: EventType): JsonObject => ({
  operationId: `on${eventSchemaName(type)}`,
  tags: ["Webhooks"],
  summary: summaryOf(type),
  security: [],
  parameters: Object.keys(WEBHOOK_HEADERS).map((name) => ({ $ref: refTo("parameters", name) })),
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: { $ref: refTo("schemas", eventSchemaName(type)) },
        example: exampleEvent(type),
      },
    },
  },
  responses: {
    "2XX": { description: "Taken. Everything else is sent again later." },
    410: { description: "The endpoint is no more: it is disabled at once." },
  },
});

/** `menu_category.reordered` -> `Menu category reordered` */
function summaryOf(type: EventType): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
