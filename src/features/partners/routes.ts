import { createEndpointBody, updateEndpointBody } from "../../domain/webhooks/endpoint-fields.ts";
import * as deliveries from "../../http/handlers/webhooks/deliveries.ts";
import * as endpoints from "../../http/handlers/webhooks/endpoints.ts";
import type { RouteDefinition } from "../../http/pipeline/route.ts";
import {
  conditional,
  created,
  deleted,
  EMPTY_BODY,
  paged,
  responseOf,
  routeOfPartner,
  unversioned,
  versioned,
} from "../../http/route-constructors.ts";
import { businessesParameters, handleListBusinesses } from "./list-businesses.ts";
import { handleListPartnerChanges, partnerChangesParameters } from "./list-changes.ts";

/**
 * The routes for endpoints of all businesses have the same handlers as the routes for endpoints of
 * one business.
 */
const WEBHOOK_ROUTES: readonly RouteDefinition[] = [
  routeOfPartner("GET", "webhooks", {
    operationId: "listPartnerEndpoints",
    scope: "webhooks.read",
    summary: "List webhook endpoints for all businesses",
    description: "Lists those of the partner, whichever of its keys created them.",
    query: endpoints.endpointsParameters,
    responses: paged("Webhook endpoints, oldest first.", "PartnerEndpointList"),
    handle: endpoints.listEndpoints,
  }),
  routeOfPartner("POST", "webhooks", {
    operationId: "createPartnerEndpoint",
    scope: "webhooks.write",
    summary: "Create a webhook endpoint for all businesses",
    description:
      "It receives the events of every business that the partner reaches, also of those that are added later. `business` of the envelope names the business. The next event of a business is sent when the attempt before has ended; those of different businesses are sent at the same time.",
    body: { schema: createEndpointBody },
    responses: created("The new endpoint with its signing secret.", "CreatedEndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleCreateEndpoint,
  }),
  routeOfPartner("GET", "webhooks/:id", {
    operationId: "getPartnerEndpoint",
    scope: "webhooks.read",
    summary: "Get a webhook endpoint for all businesses",
    description: "The ETag is the endpoint's `version`.",
    responses: conditional("The endpoint.", "EndpointResponse"),
    handle: endpoints.handleGetEndpoint,
  }),
  routeOfPartner("PATCH", "webhooks/:id", {
    operationId: "updatePartnerEndpoint",
    scope: "webhooks.write",
    summary: "Update a webhook endpoint for all businesses",
    description: "Omitted fields keep their value. `status` DISABLED pauses the endpoint.",
    body: { schema: updateEndpointBody },
    responses: versioned("The updated endpoint.", "EndpointResponse"),
    problems: ["duplicate_endpoint", "unsafe_url"],
    handle: endpoints.handleUpdateEndpoint,
  }),
  routeOfPartner("DELETE", "webhooks/:id", {
    operationId: "deletePartnerEndpoint",
    scope: "webhooks.write",
    summary: "Delete a webhook endpoint for all businesses",
    description: "Pending deliveries are cancelled.",
    responses: deleted("Deleted."),
    handle: endpoints.handleDeleteEndpoint,
  }),
  routeOfPartner("POST", "webhooks/:id/test", {
    operationId: "testPartnerEndpoint",
    scope: "webhooks.write",
    summary: "Send a test event to an endpoint for all businesses",
    description: "The event is about the first business that the partner reaches.",
    body: { schema: endpoints.testEndpointBody, isOptional: true },
    responses: unversioned(
      "The result of the test. Returns 200 even if the receiver failed; see `ok`.",
      "EndpointTestResponse",
    ),
    problems: ["shutting_down"],
    handle: endpoints.handleTestEndpoint,
  }),
  routeOfPartner("POST", "webhooks/:id/enable", {
    operationId: "enablePartnerEndpoint",
    scope: "webhooks.write",
    summary: "Enable a webhook endpoint for all businesses",
    description:
      "Enables a disabled endpoint and sends the events that it missed, as requested with `recover`.",
    body: { schema: endpoints.enablePartnerEndpointBody, isOptional: true },
    responses: versioned(
      "The enabled endpoint, with the number of recovered deliveries.",
      "EnabledEndpointResponse",
    ),
    handle: endpoints.handleEnableEndpoint,
  }),
  routeOfPartner("POST", "webhooks/:id/rotate-secret", {
    operationId: "rotatePartnerEndpointSecret",
    scope: "webhooks.write",
    summary: "Rotate the signing secret of an endpoint for all businesses",
    description: "Events are signed with both secrets until the overlap ends.",
    body: { schema: endpoints.rotateSecretBody, isOptional: true },
    responses: versioned("The endpoint with its new signing secret.", "SecretRotationResponse"),
    handle: endpoints.handleRotateEndpointSecret,
  }),
  routeOfPartner("POST", "webhooks/:id/rotate-secret/finish", {
    operationId: "finishPartnerSecretRotation",
    scope: "webhooks.write",
    summary: "Finish the rotation of the secret of an endpoint for all businesses",
    description: "Ends the overlap: events are signed with the new secret only.",
    body: EMPTY_BODY,
    responses: versioned("The endpoint.", "FinishedSecretRotationResponse"),
    handle: endpoints.handleFinishSecretRotation,
  }),
  routeOfPartner("GET", "webhooks/:id/deliveries", {
    operationId: "listPartnerDeliveries",
    scope: "webhooks.read",
    summary: "List deliveries of an endpoint for all businesses",
    description: "Times without an offset, in `since` and `until`, are in UTC.",
    query: deliveries.partnerDeliveriesParameters,
    responses: paged("Deliveries, newest first, 100 per page by default.", "PartnerDeliveryList"),
    handle: deliveries.listDeliveries,
  }),
  routeOfPartner("GET", "deliveries/:id", {
    operationId: "getPartnerDelivery",
    scope: "webhooks.read",
    summary: "Get a delivery to an endpoint for all businesses",
    description:
      "Shows the request and up to 100 attempts. The request is null if the partner no longer reaches the business.",
    responses: unversioned("The delivery with its attempts.", "DeliveryResponse"),
    handle: deliveries.handleGetDelivery,
  }),
  routeOfPartner("POST", "deliveries/:id/redeliver", {
    operationId: "redeliverPartnerDelivery",
    scope: "webhooks.write",
    summary: "Send a delivery to an endpoint for all businesses again",
    description: "Sends the same event with a new signature. The endpoint must be enabled.",
    body: EMPTY_BODY,
    responses: responseOf(202, "The delivery, scheduled to be sent again.", "DeliveryResponse"),
    handle: deliveries.handleRedeliverDelivery,
  }),
];

/** The routes whose path names no business. They need a key that reaches several businesses. */
export const routes: readonly RouteDefinition[] = [
  routeOfPartner("GET", "businesses", {
    operationId: "listBusinesses",
    scope: "services.read",
    summary: "List the businesses of the key",
    description:
      "Only for the key of a partner with several businesses. Lists each with the version of its catalog; with `changedSince`, only those that have changed. Request it with `If-None-Match`: a 304 says that no catalog has changed and no business was added or removed.",
    query: businessesParameters,
    responses: conditional(
      "Businesses by ID; with `changedSince`, in the order of their changes.",
      "ReachedBusinessList",
      ["ETag", "Cache-Control"],
      ["Link"],
    ),
    problems: ["cursor_expired"],
    handle: handleListBusinesses,
  }),
  routeOfPartner("GET", "changes", {
    operationId: "listPartnerChanges",
    scope: "webhooks.read",
    summary: "List events of all businesses",
    description:
      "Only for the key of a partner with several businesses: one feed with one cursor. `business` of each envelope names the business, and the events of a business are in its order. After a 410, request `after=latest`, read `GET /v1/businesses` and the lists of all of them again, and continue with that cursor.",
    query: partnerChangesParameters,
    responses: unversioned("Events, oldest first.", "PartnerEventList"),
    problems: ["cursor_expired"],
    handle: handleListPartnerChanges,
  }),
  ...WEBHOOK_ROUTES,
];
