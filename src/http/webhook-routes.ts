import { createEndpointBody, updateEndpointBody } from "../domain/webhooks/endpoint-fields.ts";
import * as deliveries from "./handlers/webhooks/deliveries.ts";
import * as endpoints from "./handlers/webhooks/endpoints.ts";
import * as redeliveries from "./handlers/webhooks/redeliveries.ts";
import type { RouteDefinition } from "./pipeline/route.ts";
import {
  conditional,
  created,
  deleted,
  EMPTY_BODY,
  get,
  paged,
  patch,
  post,
  remove,
  responseOf,
  unversioned,
  versioned,
} from "./route-constructors.ts";

/** The routes of webhook endpoints and their deliveries, which routes.ts adds to its table. */
export const WEBHOOK_ROUTES: readonly RouteDefinition[] = [
  get("Webhooks", "webhooks", {
    operationId: "listEndpoints",
    scope: "webhooks.read",
    summary: "List webhook endpoints",
    description:
      "A secret key lists every endpoint of its business; a restricted key lists those that it created.",
    query: endpoints.endpointsParameters,
    responses: paged("Webhook endpoints, oldest first.", "EndpointList"),
    handle: endpoints.listEndpoints,
  }),
  post("Webhooks", "webhooks", {
    operationId: "createEndpoint",
    scope: "webhooks.write",
    summary: "Create a webhook endpoint",
    description:
      "An API key can have 10 endpoints, unless the business sets another maximum. Until a host has responded with 2xx to an event, it gets at most 60 requests per hour.",
    body: { schema: createEndpointBody },
    responses: created("The new endpoint with its signing secret.", "CreatedEndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleCreateEndpoint,
  }),
  get("Webhooks", "webhooks/:id", {
    operationId: "getEndpoint",
    scope: "webhooks.read",
    summary: "Get a webhook endpoint",
    description:
      "The ETag is the endpoint's `version`. A 304 says that its settings, status and secrets are the same: what depends on its deliveries may differ, such as `state` and `heldUntil`.",
    responses: conditional("The endpoint.", "EndpointResponse"),
    handle: endpoints.handleGetEndpoint,
  }),
  patch("Webhooks", "webhooks/:id", {
    operationId: "updateEndpoint",
    scope: "webhooks.write",
    summary: "Update a webhook endpoint",
    description:
      "Omitted fields keep their value. `status` DISABLED pauses the endpoint: its deliveries are kept, and sent when `status` is ACTIVE again. If-Match avoids overwriting the change of another client.",
    body: { schema: updateEndpointBody },
    responses: versioned("The updated endpoint.", "EndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleUpdateEndpoint,
  }),
  remove("Webhooks", "webhooks/:id", {
    operationId: "deleteEndpoint",
    scope: "webhooks.write",
    summary: "Delete a webhook endpoint",
    description: "Pending deliveries are cancelled.",
    responses: deleted("Deleted."),
    handle: endpoints.handleDeleteEndpoint,
  }),
  post("Webhooks", "webhooks/:id/test", {
    operationId: "testEndpoint",
    scope: "webhooks.write",
    summary: "Send a test event",
    description:
      "Sends a signed event immediately, even if the endpoint is disabled: of `eventType`, or of the first event type that the endpoint subscribes to and the business has an object for. Test events do not appear in /changes and do not affect failure counts.",
    body: { schema: endpoints.testEndpointBody, isOptional: true },
    responses: unversioned(
      "The result of the test. Returns 200 even if the receiver failed; see `ok`.",
      "EndpointTestResponse",
    ),
    problems: ["shutting_down"],
    handle: endpoints.handleTestEndpoint,
  }),
  post("Webhooks", "webhooks/:id/enable", {
    operationId: "enableEndpoint",
    scope: "webhooks.write",
    summary: "Enable a webhook endpoint",
    description:
      "Enables a disabled endpoint and sends the events that it missed, as requested with `recover`. An endpoint that the business disabled (`disabledReason` is `manual`), or whose API key has ended, can only be enabled by the business.",
    body: { schema: endpoints.enableEndpointBody, isOptional: true },
    responses: versioned(
      "The enabled endpoint, with the number of recovered deliveries.",
      "EnabledEndpointResponse",
    ),
    handle: endpoints.handleEnableEndpoint,
  }),
  post("Webhooks", "webhooks/:id/rotate-secret", {
    operationId: "rotateEndpointSecret",
    scope: "webhooks.write",
    summary: "Rotate the signing secret",
    description:
      "Creates a new signing secret. Events are signed with both secrets until the overlap ends, at `oldSecretEndsAt`. Send an Idempotency-Key: if the response is lost, the same request returns the same secret. While a rotation is in progress, another one is refused with `conflict`: finish it first, or send `force`.",
    body: { schema: endpoints.rotateSecretBody, isOptional: true },
    responses: versioned("The endpoint with its new signing secret.", "SecretRotationResponse"),
    handle: endpoints.handleRotateEndpointSecret,
  }),
  post("Webhooks", "webhooks/:id/rotate-secret/finish", {
    operationId: "finishSecretRotation",
    scope: "webhooks.write",
    summary: "Finish the rotation of the signing secret",
    description: "Ends the overlap: events are signed with the new secret only.",
    body: EMPTY_BODY,
    responses: versioned("The endpoint.", "FinishedSecretRotationResponse"),
    handle: endpoints.handleFinishSecretRotation,
  }),
  get("Webhooks", "webhooks/:id/deliveries", {
    operationId: "listDeliveries",
    scope: "webhooks.read",
    summary: "List deliveries of a webhook endpoint",
    description:
      "Shows the status and the last error of each delivery; `GET …/deliveries/{id}` adds its attempts.",
    query: deliveries.deliveriesParameters,
    responses: paged("Deliveries, newest first, 100 per page by default.", "DeliveryList"),
    handle: deliveries.listDeliveries,
  }),
  get("Webhooks", "deliveries", {
    operationId: "listAllDeliveries",
    scope: "webhooks.read",
    summary: "List deliveries of all webhook endpoints",
    description:
      "Lists the deliveries of the endpoints that the API key sees, also of those that were deleted. `waiting` says why a delivery has not been sent yet.",
    query: deliveries.allDeliveriesParameters,
    responses: paged("Deliveries, newest first, 100 per page by default.", "DeliveryList"),
    problems: ["resource_not_found"],
    handle: deliveries.listAllDeliveries,
  }),
  post("Webhooks", "deliveries/redeliver", {
    operationId: "redeliverDeliveries",
    scope: "webhooks.write",
    summary: "Send deliveries again",
    description:
      "Sends the deliveries that match the filter again, with the same bodies and IDs and new signatures; new deliveries go first. At least one of `endpointId`, `eventType`, `status`, `since` and `until` is needed. Each request takes up to `limit` deliveries, endpoint by endpoint, the oldest first: send the same body with `cursor` until `hasMore` is false. Deliveries that are parked, damaged or already being sent again are left out.",
    query: redeliveries.redeliverParameters,
    body: { schema: redeliveries.redeliverBody },
    responses: {
      ...unversioned("With `dryRun=true`: what would be sent again.", "RedeliveryResponse"),
      ...responseOf(202, "The deliveries are scheduled to be sent again.", "RedeliveryResponse"),
    },
    problems: ["resource_not_found", "invalid_cursor", "too_many_redeliveries"],
    handle: redeliveries.handleRedeliverDeliveries,
  }),
  get("Webhooks", "deliveries/:id", {
    operationId: "getDelivery",
    scope: "webhooks.read",
    summary: "Get a delivery",
    description:
      "Shows the request with its body and headers, and up to 100 attempts, each with the beginning of your server's response.",
    responses: unversioned("The delivery with its attempts.", "DeliveryResponse"),
    handle: deliveries.handleGetDelivery,
  }),
  post("Webhooks", "deliveries/:id/redeliver", {
    operationId: "redeliverDelivery",
    scope: "webhooks.write",
    summary: "Send a delivery again",
    description:
      "Sends the same event with a new signature; new deliveries go first. The retry schedule starts over. The endpoint must be enabled.",
    body: EMPTY_BODY,
    responses: responseOf(202, "The delivery, scheduled to be sent again.", "DeliveryResponse"),
    handle: deliveries.handleRedeliverDelivery,
  }),
];
