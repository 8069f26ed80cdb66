import { hasEnded } from "../domain/api-key.ts";
import type { EndpointRow } from "../store/webhooks/endpoints.ts";
import type { ListedKey } from "../store/keys.ts";
import { auditRow } from "./audit.ts";
import { getKey } from "./keys.ts";
import { revokeForGood } from "./revoke-for-good.ts";
import type { Runtime } from "./runtime.ts";
import { countToPark, disableInTransaction } from "./webhooks/endpoint-lifecycle.ts";

// A key ends when it is revoked or expires. Its webhook endpoints then receive nothing more, unless
// the operator keeps them, and its holds are released. An expired key is refused, and its endpoints
// receive nothing, as soon as the wall clock says so. They are disabled, which only the operator
// takes back, once the retention clock says so, too: the wall clock may be ahead by mistake.

/** What the end of a key did to its endpoints and holds. */
export type Stopped = {
  /** Disabled endpoints, each with the number of its deliveries that were parked. */
  endpoints: { id: string; name: string; url: string; parked: number }[];
  /** Endpoints that still receive events. */
  keptEndpoints: { id: string; name: string; url: string }[];
  releasedHolds: number;
};

/**
 * Lists the endpoints that end with a key. If every other key of a partner has ended, the list also
 * has every endpoint of the partner that belongs to a single business.
 */
export function listEndpointsOfKey(rt: Runtime, key: ListedKey): EndpointRow[] {
  const { businessId, partnerId } = key;
  const endpointsOfOwner = rt.store.endpoints.listOf({ businessId, partnerId });
  const endpointsOfKey = endpointsOfOwner.filter(({ keyId }) => keyId === key.id);
  // The key belongs to a business, not to a partner.
  if (businessId !== null || partnerId === null) return endpointsOfKey;
  // An expired key counts until its end is carried out, because the wall clock may be ahead.
  return rt.store.partnerAccess.hasOtherKey(partnerId, key.id)
    ? endpointsOfKey
    : [...endpointsOfKey, ...rt.store.endpoints.listAtBusinesses(partnerId)];
}

/**
 * Revokes a key. If the key was already revoked but kept its endpoints, a second revocation stops
 * them.
 * @param keepsEndpoints whether the key's endpoints still receive events
 * @throws AppError resource_not_found
 */
export function revokeKey(
  rt: Runtime,
  keyId: string,
  { keepsEndpoints = false } = {},
): { key: ListedKey } & Stopped {
  const active = listEndpointsOfKey(rt, getKey(rt, keyId)).filter(isActive);
  // A large backlog is counted before the transaction, because counting would block other writers.
  // The transaction itself returns only a minimum for a large backlog.
  const counts = new Map(active.map(({ id }) => [id, countToPark(rt, id).parked]));
  const { key, endpoints, ...stopped } = revokeForGood(rt, [keyId], () =>
    revokeInTransaction(rt, keyId, { keepsEndpoints }),
  );
  const counted = endpoints.map(({ parked, ...endpoint }) => ({
    ...endpoint,
    parked: Math.max(parked, counts.get(endpoint.id) ?? 0),
  }));
  return { key, ...stopped, endpoints: counted };
}

/** Revokes a key in this database alone: restoring a backup may bring the key back. */
export const revokeInTransaction = (
  rt: Runtime,
  keyId: string,
  { keepsEndpoints = false } = {},
): { key: ListedKey } & Stopped =>
  rt.tx(() => {
    const before = getKey(rt, keyId);
    rt.store.keys.revoke(keyId, rt.now());
    const endpointsAtEnd = keepsEndpoints ? "KEEP" : "STOP";
    rt.store.keys.update(keyId, { ...before, endpointsAtEnd });
    const key = getKey(rt, keyId);
    const stopped = stop(rt, key, "key_revoked");
    const hasChanged =
      before.revokedAt === null ||
      before.endpointsAtEnd !== endpointsAtEnd ||
      stopped.endpoints.length > 0;
    if (hasChanged) auditRow(rt, "key.revoked", key, toDetails(stopped));
    return { key, ...stopped };
  });

/**
 * Stops the endpoints and holds of keys that have expired, even if no daemon ran at that time.
 * @param now the time (epoch ms) of the retention clock
 */
export function endExpiredKeys(rt: Runtime, now: number): void {
  for (const id of rt.store.keys.listExpired(now))
    rt.tx(() => {
      const key = rt.store.keys.findById(id);
      // The key may have been revoked, or its expiry changed, since it was listed.
      if (key === undefined || !hasEnded(key, now)) return;
      auditRow(rt, "key.expired", key, toDetails(stop(rt, key, "key_expired")));
    });
}

/**
 * Lets keys end again that are still valid although their end was carried out: the clock was ahead
 * for longer than the retention clock waits, and has been corrected. Their endpoints stay disabled
 * until the operator enables them.
 */
export function reopenKeys(rt: Runtime): void {
  if (rt.store.keys.hasEndedEarly(rt.now())) rt.tx(() => rt.store.keys.reopen(rt.now()));
}

/** Stops the endpoints and holds of a key. Call it in a transaction. */
function stop(rt: Runtime, key: ListedKey, reason: "key_revoked" | "key_expired"): Stopped {
  rt.store.keys.markEnded(key.id, rt.now());
  const active = listEndpointsOfKey(rt, key).filter(isActive);
  const stopsEndpoints = key.endpointsAtEnd === "STOP";
  return {
    endpoints: (stopsEndpoints ? active : []).map(({ id, name, url }) => ({
      id,
      name,
      url,
      parked: disableInTransaction(rt, id, reason).parked,
    })),
    keptEndpoints: (stopsEndpoints ? [] : active).map(({ id, name, url }) => ({ id, name, url })),
    releasedHolds: rt.store.holds.releaseOfKey(key.id, rt.now()),
  };
}

const toDetails = ({ endpoints, keptEndpoints, releasedHolds }: Stopped) => ({
  disabledEndpoints: endpoints.map(({ id }) => id),
  keptEndpoints: keptEndpoints.map(({ id }) => id),
  releasedHolds,
});

const isActive = ({ status }: EndpointRow): boolean => status === "ACTIVE";
