import {
  deliveriesParameters,
  handleGetDelivery,
  handleRedeliverDelivery,
  listDeliveries,
} from "./handlers/webhooks/deliveries.ts";
import * as endpoints from "./handlers/webhooks/endpoints.ts";
import { emptyBody } from "./pipeline/body.ts";
import type { HandlerDeps, KeyHandler, RouteDefinition, RouteSpec } from "./pipeline/route.ts";
import { listed, ok, path, readable, unversioned } from "./route-parts.ts";

const EMPTY_BODY = { schema: emptyBody, isOptional: true };

type Details = Pick<RouteSpec, "description" | "responses"> &
  Partial<Pick<RouteSpec, "query" | "body" | "problems">> & {
    handle: (deps: HandlerDeps) => KeyHandler;
  };

const webhookRoute = (
  method: RouteSpec["method"],
  rest: string,
  operationId: string,
  summary: string,
  details: Details,
): RouteDefinition => ({
  operationId,
  group: "Webhooks",
  method,
  path: path(rest),
  scope: method === "GET" ? "webhooks.read" : "webhooks.write",
  summary,
  ...details,
});

/** The routes of webhook endpoints and their deliveries; part of the table in routes.ts. */
export const WEBHOOK_ROUTES: readonly RouteDefinition[] = [
  webhookRoute("GET", "webhooks", "listEndpoints", "List webhook endpoints", {
    description:
      "A secret key lists every endpoint of its business; a restricted key lists those that it created.",
    query: endpoints.endpointsParameters,
    responses: listed("Webhook endpoints, oldest first.", "EndpointList"),
    handle: endpoints.listEndpoints,
  }),
  webhookRoute("POST", "webhooks", "createEndpoint", "Create a webhook endpoint", {
    description:
      "An API key can have 10 endpoints, unless the business sets another maximum. Until a host has responded with 2xx to an event, it gets at most 60 requests per hour.",
    body: { schema: endpoints.createEndpointBody },
    responses: {
      201: {
        description: "The new endpoint with its signing secret.",
        body: "CreatedEndpointResponse",
        headers: ["Location", "ETag", "Cache-Control"],
      },
    },
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleCreateEndpoint,
  }),
  webhookRoute("GET", "webhooks/:id", "getEndpoint", "Get a webhook endpoint", {
    description:
      "The ETag is the endpoint's `version`. A 304 says that its settings, status and secrets are the same: `failingSince`, `heldUntil` and `heldReason` may differ.",
    responses: readable("The endpoint.", "EndpointResponse"),
    handle: endpoints.handleGetEndpoint,
  }),
  webhookRoute("PATCH", "webhooks/:id", "updateEndpoint", "Update a webhook endpoint", {
    description:
      "Omitted fields keep their value. `status` DISABLED pauses the endpoint: its deliveries are kept, and sent when `status` is ACTIVE again. If-Match avoids overwriting the change of another client.",
    body: { schema: endpoints.updateEndpointBody },
    responses: ok("The updated endpoint.", "EndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleUpdateEndpoint,
  }),
  webhookRoute("DELETE", "webhooks/:id", "deleteEndpoint", "Delete a webhook endpoint", {
    description: "Pending deliveries are cancelled.",
    responses: { 204: { description: "Deleted." } },
    handle: endpoints.handleDeleteEndpoint,
  }),
  webhookRoute("POST", "webhooks/:id/test", "testEndpoint", "Send a test event", {
    description:
      "Sends a signed event of the endpoint's first event type immediately, even if the endpoint is disabled. Test events do not appear in /changes and do not affect failure counts.",
    body: EMPTY_BODY,
    responses: unversioned(
      "The result of the test. Returns 200 even if the receiver failed; see `ok`.",
      "EndpointTestResponse",
    ),
    problems: ["shutting_down"],
    handle: endpoints.handleTestEndpoint,
  }),
  webhookRoute("POST", "webhooks/:id/enable", "enableEndpoint", "Enable a webhook endpoint", {
    description:
      "Enables a disabled endpoint and sends the events that it missed, as requested with `recover`. An endpoint that the business disabled (`disabledReason` is `manual`), or whose API key has ended, can only be enabled by the business.",
    body: { schema: endpoints.enableEndpointBody, isOptional: true },
    responses: ok(
      "The enabled endpoint, with the number of recovered deliveries.",
      "EnabledEndpointResponse",
    ),
    handle: endpoints.handleEnableEndpoint,
  }),
  webhookRoute(
    "POST",
    "webhooks/:id/rotate-secret",
    "rotateEndpointSecret",
    "Rotate the signing secret",
    {
      description:
        "Creates a new signing secret. Events are signed with both secrets until the overlap ends, at `oldSecretEndsAt`. Send an Idempotency-Key: if the response is lost, the same request returns the same secret. While a rotation is in progress, another one is refused with `conflict`: finish it first, or send `force`.",
      body: { schema: endpoints.rotateSecretBody, isOptional: true },
      responses: ok("The endpoint with its new signing secret.", "SecretRotationResponse"),
      handle: endpoints.handleRotateEndpointSecret,
    },
  ),
  webhookRoute(
    "POST",
    "webhooks/:id/rotate-secret/finish",
    "finishSecretRotation",
    "Finish the rotation of the signing secret",
    {
      description: "Ends the overlap: events are signed with the new secret only.",
      body: EMPTY_BODY,
      responses: ok("The endpoint.", "FinishedSecretRotationResponse"),
      handle: endpoints.handleFinishSecretRotation,
    },
  ),
  webhookRoute(
    "GET",
    "webhooks/:id/deliveries",
    "listDeliveries",
    "List deliveries of a webhook endpoint",
    {
      description:
        "Shows the status and the last error of each delivery; `GET …/deliveries/{id}` adds its attempts.",
      query: deliveriesParameters,
      responses: listed("Deliveries, newest first, 100 per page by default.", "DeliveryList"),
      handle: listDeliveries,
    },
  ),
  webhookRoute("GET", "deliveries/:id", "getDelivery", "Get a delivery", {
    description: "Shows up to 100 attempts, each with the beginning of your server's response.",
    responses: unversioned("The delivery with its attempts.", "DeliveryResponse"),
    handle: handleGetDelivery,
  }),
  webhookRoute("POST", "deliveries/:id/redeliver", "redeliverDelivery", "Send a delivery again", {
    description:
      "Sends the same event with a new signature, after new deliveries. The retry schedule starts over. The endpoint must be enabled.",
    body: EMPTY_BODY,
    responses: {
      202: {
        description: "The delivery, scheduled to be sent again.",
        body: "DeliveryResponse",
        headers: ["Cache-Control"],
      },
    },
    handle: handleRedeliverDelivery,
  }),
];
