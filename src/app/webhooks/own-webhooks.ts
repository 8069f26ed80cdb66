import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import type { KeyRow } from "../../store/keys.ts";

// Which webhooks a key can see and manage: a secret key all of its business, a restricted key the
// endpoints that it created (a rotated key is still the same key). For all others the response is
// the same as if they did not exist.

type Viewer = Pick<KeyRow, "id" | "kind" | "businessId">;

const owns = (
  key: Viewer,
  { businessId, keyId }: { businessId: string; keyId: string | null },
): boolean => businessId === key.businessId && (key.kind === "SECRET" || keyId === key.id);

export const listOwnEndpoints = (rt: Runtime, key: Viewer): EndpointRow[] =>
  rt.store.endpoints.list(key.businessId).filter((endpoint) => owns(key, endpoint));

export function getOwnEndpoint(rt: Runtime, key: Viewer, id: string): EndpointRow {
  const endpoint = rt.store.endpoints.findById(id);
  if (endpoint && owns(key, endpoint)) return endpoint;
  throw new AppError("resource_not_found", "There is no webhook endpoint with this ID.");
}

/** Also returns deliveries of deleted endpoints. @throws AppError resource_not_found */
export function getOwnDelivery(rt: Runtime, key: Viewer, id: string): DeliveryRow {
  const delivery = rt.store.deliveries.findById(id);
  if (delivery) {
    const { businessId, endpointId } = delivery;
    if (owns(key, { businessId, keyId: rt.store.endpoints.findCreatorKeyId(endpointId) }))
      return delivery;
  }
  throw new AppError("resource_not_found", "There is no delivery with this ID.");
}
