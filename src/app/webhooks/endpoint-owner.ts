import { AppError } from "../../domain/errors.ts";
import { ALL_EVENT_TYPES, maySubscribe, type EventType } from "../../domain/events/event-types.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryRow } from "../../store/webhooks/deliveries.ts";
import type { EndpointOwner, EndpointRow } from "../../store/webhooks/endpoints.ts";
import type { DeliveryViewer } from "../../store/webhooks/delivery-search.ts";
import type { KeyRow, ListedKey } from "../../store/keys.ts";
import { hasEnded, stopsEndpoints } from "../../domain/api-key.ts";
import { countOf, quote } from "../../domain/text.ts";
import { getKey } from "../keys.ts";

// A secret key sees and manages all endpoints of its business whose events it may receive itself. A
// restricted key sees the endpoints that it created; a rotated key is the same key. A request for
// any other endpoint gets the response for an endpoint that does not exist.

// The keys of a partner see the endpoints for all of its businesses, whichever key created them. At
// one business, they see the endpoints that a key of the partner created there.

export type Viewer = Pick<KeyRow, "id" | "kind" | "businessId" | "partnerId" | "eventGroups">;
type Viewed = EndpointOwner & Pick<EndpointRow, "keyId" | "events">;

const manages = (key: Viewer, { businessId, partnerId, keyId, events }: Viewed): boolean =>
  key.businessId === null
    ? businessId === null && partnerId === key.partnerId
    : businessId === key.businessId &&
      (keyId === key.id ||
        (key.kind === "SECRET" && events.every((type) => maySubscribe(key, type))));

export const listOwnEndpoints = (rt: Runtime, key: Viewer): EndpointRow[] =>
  rt.store.endpoints.listOf(key).filter((endpoint) => manages(key, endpoint));

export function getOwnEndpoint(rt: Runtime, key: Viewer, id: string): EndpointRow {
  const endpoint = rt.store.endpoints.findById(id);
  if (endpoint && manages(key, endpoint)) return endpoint;
  throw notFoundError();
}

const notFoundError = (): AppError =>
  new AppError("resource_not_found", "There is no webhook endpoint with this ID.");

/**
 * Returns which deliveries a key sees in a list over all endpoints, even deleted endpoints: the
 * deliveries of its own endpoints, and all deliveries of the event types in the returned `types`.
 * Returns undefined if the key sees all deliveries.
 */
export function deliveryViewer(key: Viewer): DeliveryViewer | undefined {
  if (key.kind === "RESTRICTED") return { keyId: key.id, types: [] };
  const types = ALL_EVENT_TYPES.filter((type) => maySubscribe(key, type));
  return types.length === ALL_EVENT_TYPES.length ? undefined : { keyId: key.id, types };
}

/**
 * Asserts that a key may list the deliveries of an endpoint, even of a deleted one.
 * @throws AppError resource_not_found
 */
export function assertMayListDeliveries(rt: Runtime, key: Viewer, endpointId: string): void {
  const owner = rt.store.endpoints.findOwner(endpointId);
  // The list leaves out deliveries that the key must not see, so the endpoint's events do not
  // matter.
  if (owner === undefined || !manages(key, { ...owner, events: [] })) throw notFoundError();
}

/**
 * Returns a delivery that the key may see, even if its endpoint was deleted.
 * @throws AppError resource_not_found
 */
export function getOwnDelivery(rt: Runtime, key: Viewer, id: string): DeliveryRow {
  const delivery = rt.store.deliveries.findById(id);
  if (delivery) {
    const owner = rt.store.endpoints.findOwner(delivery.endpointId);
    if (owner && manages(key, { ...owner, events: [delivery.eventType] })) return delivery;
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

// A webhook endpoint belongs to an API key, which can then see and manage it over HTTP, or to the
// operator alone.

type Owned = EndpointOwner & Pick<EndpointRow, "id" | "url" | "events">;

/**
 * Returns how many endpoints a key has. Each key of a partner has all endpoints for the businesses
 * of the partner.
 */
const countOfKey = (rt: Runtime, keyId: string, owner: EndpointOwner): number =>
  rt.store.endpoints.listOf(owner).filter((row) => owner.businessId === null || row.keyId === keyId)
    .length;

/**
 * Returns whether a key already has an endpoint that is to be moved to it. All keys of a partner
 * have the same endpoints.
 */
const countsAlready = (rt: Runtime, { id, businessId }: Pick<Owned, "id" | "businessId">) =>
  businessId === null && rt.store.endpoints.findById(id) !== undefined;

/** Returns how many endpoints a key has and may have. */
export const readEndpointUse = (
  rt: Runtime,
  key: EndpointOwner & Pick<KeyRow, "id" | "maxEndpoints">,
): { limit: number; used: number } => ({
  limit: key.maxEndpoints,
  used: countOfKey(rt, key.id, key),
});

/**
 * Returns the key whose end stops the webhooks of an endpoint; undefined if no key has ended. The
 * access of a partner to one business ends with the last key of the partner.
 */
export function findEndedKey(
  rt: Runtime,
  { keyId }: Pick<EndpointRow, "keyId">,
): ListedKey | undefined {
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  if (key === undefined || stopsEndpoints(key, rt.now())) return key;
  if (key.businessId === null || key.partnerId === null) return undefined;
  const keys = rt.store.partnerAccess.listKeys(key.partnerId);
  return keys.every((one) => stopsEndpoints(one, rt.now())) ? keys.at(-1) : undefined;
}

/**
 * Asserts that the operator may give an endpoint to a key.
 * @throws AppError resource_not_found; validation_failed for a key of another business; conflict
 * for a key that has ended or already has its maximum number of endpoints; state_refuses if the key
 * may not receive an event; duplicate_endpoint
 */
export function assertMayOwn(rt: Runtime, keyId: string, endpoint: Owned): void {
  const key = getKey(rt, keyId);
  if (key.businessId !== endpoint.businessId)
    throw new AppError("validation_failed", `The key ${keyId} belongs to another business.`, {
      fix: "deskbell keys list",
    });
  if (key.businessId === null && key.partnerId !== endpoint.partnerId)
    throw new AppError("validation_failed", `The key ${keyId} belongs to another partner.`, {
      fix: "deskbell keys list",
    });
  if (hasEnded(key, rt.now()) || findEndedKey(rt, { keyId }) !== undefined)
    throw new AppError("conflict", `The key ${keyId} is revoked or has expired.`, {
      fix: "deskbell keys list",
    });
  const forbidden = endpoint.events.find((type) => !maySubscribe(key, type));
  if (forbidden !== undefined)
    throw new AppError(
      "state_refuses",
      `The key ${keyId} may not receive ${forbidden}: its event groups are ${key.eventGroups.join(", ")}.`,
      { fix: "add --event all, which stands for the events that the key may receive" },
    );
  assertNotDuplicate(rt, keyId, endpoint);
  if (countsAlready(rt, endpoint)) return;
  const count = countOfKey(rt, keyId, endpoint);
  if (count >= key.maxEndpoints)
    throw new AppError(
      "conflict",
      `The key ${keyId} already has ${countOf(count, "webhook endpoint")}; its maximum is ${key.maxEndpoints}.`,
      { fix: `deskbell keys update ${keyId} --max-endpoints ${count + 1}` },
    );
}

/**
 * Asserts that no other endpoint of the business has the name. The operator cannot use a name
 * twice, because commands name endpoints. Partners can use a name twice, because the refusal would
 * tell a restricted key the names of other keys' endpoints.
 * @throws AppError conflict
 */
export function assertNameFree(
  rt: Runtime,
  { id, name, ...owner }: EndpointOwner & Pick<EndpointRow, "id" | "name">,
): void {
  const other = rt.store.endpoints.listOf(owner).find((row) => row.id !== id && row.name === name);
  if (other)
    throw new AppError("conflict", `The endpoint ${other.id} is already named ${quote(name)}.`, {
      fix: `use another --name, or rename that one: deskbell webhooks update ${other.id} --name NAME`,
    });
}

/** @throws AppError insufficient_scope */
export function assertKeyMaySubscribe(
  rt: Runtime,
  keyId: string | null,
  events: readonly EventType[],
): void {
  const key = keyId === null ? undefined : rt.store.keys.findById(keyId);
  if (key) assertMaySubscribe(key, events);
}

/**
 * @throws AppError conflict if the key already has its maximum number of endpoints;
 * duplicate_endpoint
 */
export function assertKeyMayCreate(rt: Runtime, keyId: string, endpoint: Owned): void {
  assertNotDuplicate(rt, keyId, endpoint);
  const maxEndpoints = rt.store.keys.findById(keyId)?.maxEndpoints ?? 0;
  const count = countOfKey(rt, keyId, endpoint);
  if (count >= maxEndpoints)
    throw new AppError(
      "conflict",
      `This API key already has ${countOf(count, "webhook endpoint")}, its maximum.`,
      { fix: "delete one that is no longer needed, or ask the business for a higher limit" },
    );
}

/**
 * Asserts that no endpoint has the same URL and events. Endpoints that a restricted key may not see
 * do not count: a refusal would reveal them, and one key could block another.
 * @throws AppError duplicate_endpoint
 */
export function assertNotDuplicate(
  rt: Runtime,
  keyId: string | null,
  { id, url, events, ...owner }: Owned,
): void {
  const isRestricted = keyId !== null && rt.store.keys.findById(keyId)?.kind === "RESTRICTED";
  // Each key of a partner sees all endpoints for the businesses of the partner.
  const isVisible = (other: EndpointRow) =>
    !isRestricted || owner.businessId === null || other.keyId === keyId;
  const subscribed = new Set(events);
  const duplicate = rt.store.endpoints
    .listOf(owner)
    .find(
      (other) =>
        other.id !== id &&
        isVisible(other) &&
        other.url === url &&
        subscribed.symmetricDifference(new Set(other.events)).size === 0,
    );
  if (duplicate === undefined) return;
  const detail = `The endpoint ${duplicate.id} already has this URL and these events.`;
  throw new AppError("duplicate_endpoint", detail, {
    fix: `use ${duplicate.id}, or delete it first`,
    issues: [{ pointer: "#/url", code: "duplicate_endpoint", detail }],
  });
}
