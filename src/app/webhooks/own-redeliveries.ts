import { AppError } from "../../domain/errors.ts";
import { ALL_EVENT_TYPES, type EventType, maySubscribe } from "../../domain/events/event-types.ts";
import { minIdAt } from "../../domain/ids.ts";
import type { DeliveryStatus } from "../../domain/webhooks/settle.ts";
import type { Runtime } from "../runtime.ts";
import { getOwnEndpoint, listOwnEndpoints, type Viewer } from "./endpoint-owner.ts";

// A partner redelivers the deliveries that a filter selects. Each request takes a limited number of
// deliveries, and the pending redeliveries of a key are limited, so that no partner can make the
// server send without end.

/** The most pending redeliveries of the endpoints that a key manages. */
const MAX_PENDING = 10_000;
/** The most deliveries that one request makes due: few enough not to block other writers. */
export const MAX_REDELIVERED = 1000;
/** The most deliveries that one request reads. */
const MAX_READ = 50_000;

/** A text that sorts after every delivery ID. */
const LAST_ID = "dlv_~";

/**
 * Returns how many redeliveries of a key's endpoints are pending. The count stops at `MAX_PENDING`.
 */
export function readRedeliveryUse(rt: Runtime, key: Viewer): { limit: number; used: number } {
  const ids = listOwnEndpoints(rt, key).map(({ id }) => id);
  return { limit: MAX_PENDING, used: rt.store.ownRedeliveries.countPending(ids, MAX_PENDING) };
}

export const REDELIVERABLE = ["PENDING", "DELIVERED", "EXHAUSTED", "CANCELLED"] as const;

export type OwnRedelivery = {
  endpointId: string | undefined;
  eventType: EventType | undefined;
  status: DeliveryStatus | undefined;
  /** Epoch ms; `since` is inclusive, `until` exclusive. */
  since: number;
  until: number | undefined;
  limit: number;
  /** Where to continue: `reached` of the previous result. */
  from: RedeliveryPosition | undefined;
};

/**
 * The last delivery that a request has read. `deliveryId` is "" if the request has read no delivery
 * of the endpoint.
 */
export type RedeliveryPosition = { endpointId: string; deliveryId: string };

type Redelivered = {
  count: number;
  /** Disabled endpoints, whose deliveries are left out. */
  disabledEndpointIds: string[];
  /** Where to continue; null if all deliveries have been read. */
  reached: RedeliveryPosition | null;
};

/**
 * Makes deliveries of a key's endpoints due again: endpoint by endpoint in the order of their IDs,
 * the oldest delivery first.
 * @throws AppError resource_not_found; conflict if the named endpoint is disabled;
 *   too_many_redeliveries
 */
export const redeliverOwn = (rt: Runtime, key: Viewer, filter: OwnRedelivery): Redelivered =>
  rt.tx(() => {
    const { since, until, status, from } = filter;
    const endpoints = listChosenEndpoints(rt, key, filter.endpointId);
    const types = chooseTypes(key, filter.eventType);
    let redeliveriesLeft = Math.min(filter.limit, countLeft(rt, key));
    let readsLeft = MAX_READ;
    let count = 0;
    let reached: RedeliveryPosition | null = null;
    for (const { id: endpointId } of endpoints.filter((endpoint) => endpoint.status === "ACTIVE")) {
      if (from !== undefined && endpointId < from.endpointId) continue;
      if (redeliveriesLeft === 0 || readsLeft === 0) {
        reached = { endpointId, deliveryId: "" };
        break;
      }
      // The IDs of deliveries sort by the time at which the deliveries were created.
      const start = minIdAt("dlv", since);
      const after =
        from?.endpointId === endpointId && from.deliveryId > start ? from.deliveryId : start;
      const before = until === undefined ? LAST_ID : minIdAt("dlv", until);
      const search = { endpointId, after, before, status, types };
      const result = rt.store.ownRedeliveries.search(search, redeliveriesLeft, readsLeft);
      rt.store.ownRedeliveries.makeDue(result.rows, rt.now());
      count += result.rows.length;
      redeliveriesLeft -= result.rows.length;
      readsLeft -= result.read;
      // A search that ended at a limit returns the ID after which the next request continues.
      if (result.reached !== null) {
        reached = { endpointId, deliveryId: result.reached };
        break;
      }
    }
    const disabledEndpointIds = endpoints
      .filter((endpoint) => endpoint.status === "DISABLED")
      .map(({ id }) => id);
    return { count, disabledEndpointIds, reached };
  });

function listChosenEndpoints(rt: Runtime, key: Viewer, endpointId: string | undefined) {
  if (endpointId === undefined) return listOwnEndpoints(rt, key);
  const endpoint = getOwnEndpoint(rt, key, endpointId);
  if (endpoint.status === "DISABLED")
    throw new AppError("conflict", "The endpoint is disabled.", {
      fix: "enable it first, which also sends what it has missed since it was disabled",
    });
  return [endpoint];
}

/**
 * Returns the event types that the key may receive, limited to `eventType` if it is given;
 * undefined if all event types match.
 */
function chooseTypes(
  key: Viewer,
  eventType: EventType | undefined,
): readonly EventType[] | undefined {
  const types = ALL_EVENT_TYPES.filter((type) => maySubscribe(key, type));
  if (eventType !== undefined) return types.filter((type) => type === eventType);
  return types.length === ALL_EVENT_TYPES.length ? undefined : types;
}

/**
 * Returns how many more redeliveries of a key may be pending.
 * @throws AppError too_many_redeliveries if the limit is reached
 */
function countLeft(rt: Runtime, key: Viewer): number {
  const { limit, used } = readRedeliveryUse(rt, key);
  if (used < limit) return limit - used;
  throw new AppError(
    "too_many_redeliveries",
    `${limit} redeliveries of this key's endpoints are pending, which is the limit.`,
    { fix: "wait until they have been sent" },
  );
}
