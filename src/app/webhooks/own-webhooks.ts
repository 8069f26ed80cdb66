import { AppError } from "../../domain/errors.ts";
import { maySubscribe, type EventType } from "../../domain/event-types.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryRow } from "../../store/webhooks/deliveries.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import type { KeyRow } from "../../store/keys.ts";

// Which webhooks a key can see and manage: a secret key all of its business whose events it may
// read itself, a restricted key the endpoints that it created (a rotated key is still the same
// key). Any other webhook gets the response of one that does not exist.

type Viewer = Pick<KeyRow, "id" | "kind" | "businessId" | "eventGroups">;
type Owned = Pick<EndpointRow, "businessId" | "keyId" | "events">;

const owns = (key: Viewer, { businessId, keyId, events }: Owned): boolean =>
  businessId === key.businessId &&
  (keyId === key.id || (key.kind === "SECRET" && events.every((type) => maySubscribe(key, type))));

export const listOwnEndpoints = (rt: Runtime, key: Viewer): EndpointRow[] =>
  rt.store.endpoints.list(key.businessId).filter((endpoint) => owns(key, endpoint));

export function getOwnEndpoint(rt: Runtime, key: Viewer, id: string): EndpointRow {
  const endpoint = rt.store.endpoints.findById(id);
  if (endpoint && owns(key, endpoint)) return endpoint;
  throw new AppError("resource_not_found", "There is no webhook endpoint with this ID.");
}

/** Deliveries of deleted endpoints are returned too. @throws AppError resource_not_found */
export function getOwnDelivery(rt: Runtime, key: Viewer, id: string): DeliveryRow {
  const delivery = rt.store.deliveries.findById(id);
  if (delivery) {
    const { businessId, endpointId, eventType } = delivery;
    const keyId = rt.store.endpoints.findKeyId(endpointId);
    if (owns(key, { businessId, keyId, events: [eventType] })) return delivery;
  }
  throw new AppError("resource_not_found", "There is no delivery with this ID.");
}

/** @throws AppError insufficient_scope */
export function assertMaySubscribe(
  key: Pick<KeyRow, "eventGroups">,
  events: readonly EventType[],
): void {
  const forbidden = events.find((type) => !maySubscribe(key, type));
  if (forbidden === undefined) return;
  throw new AppError(
    "insufficient_scope",
    `This key may not receive '${forbidden}': its event groups are ${key.eventGroups.join(", ")}.`,
    { fix: "leave this event out, or ask the business to allow its group" },
  );
}
