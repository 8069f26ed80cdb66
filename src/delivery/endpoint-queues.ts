import type { Runtime } from "../app/runtime.ts";
import {
  countUnverifiedDeliveries,
  isHostVerified,
  MAX_UNVERIFIED_DELIVERIES,
} from "../app/webhooks/host-limits.ts";
import { EndpointQueue, type SigningKeys } from "./endpoint-queue.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import { type SigningKey, signingKey } from "../domain/webhooks/webhook-post.ts";
import type { SecretRow } from "../store/sealed.ts";
import type { TargetRow } from "../store/webhooks/endpoints.ts";

/** Share of a host's capacity that is kept for owners without a delivery in flight there. */
const RESERVED_SHARE = 0.25;
/** Number of waiting endpoints that are tried again when a delivery to their host ends. */
const MAX_WOKEN = 16;

type Host = {
  inFlight: number;
  /** ID of an owner (see `EndpointQueue.owner`) -> number of its deliveries in flight. */
  inFlightOf: Map<string, number>;
  /** Number of deliveries that are in flight or whose outcome is not written yet. */
  claimed: number;
  /** IDs of the endpoints that had no capacity, longest waiting first. */
  waiting: Set<string>;
  /** Whether the host is known to have accepted an event lately, so that it has no hourly limit. */
  isVerified: boolean;
};

/** Limits the deliveries to each host. Endpoints that the operator trusts do not count. */
export function createEndpointHosts(rt: Runtime) {
  const { maxInFlightPerHost } = rt.config;
  const maxPerOwner = maxInFlightPerHost - Math.floor(maxInFlightPerHost * RESERVED_SHARE);
  /** Hosts with claimed deliveries, by name. */
  const hosts = new Map<string, Host>();

  return {
    /**
     * Returns whether a delivery may be sent now. If not, the endpoint waits for the end of another
     * delivery to its host, if there is one; `endAttempt` or `release` then returns the endpoint.
     */
    hasCapacity({ host: name, owner, endpointId }: EndpointQueue): boolean {
      if (name === null) return true;
      const host = hosts.get(name);
      if (host !== undefined) {
        const max = host.inFlightOf.has(owner) ? maxPerOwner : maxInFlightPerHost;
        if (host.inFlight >= max) {
          host.waiting.add(endpointId);
          return false;
        }
        host.isVerified ||= isHostVerified(rt, name);
        if (host.isVerified) return true;
      } else if (isHostVerified(rt, name)) return true;
      // The store counts only deliveries whose outcome is written. All other deliveries that were
      // sent are claimed.
      const claimed = host?.claimed ?? 0;
      if (countUnverifiedDeliveries(rt, name) + claimed < MAX_UNVERIFIED_DELIVERIES) return true;
      // The endpoint waits for a delivery in flight, which may verify the host and so end the
      // limit.
      host?.waiting.add(endpointId);
      return false;
    },

    claim({ host: name, owner }: EndpointQueue): void {
      if (name === null) return;
      const host = hosts.getOrInsertComputed(name, () => ({
        inFlight: 0,
        inFlightOf: new Map(),
        claimed: 0,
        waiting: new Set(),
        isVerified: false,
      }));
      host.inFlight += 1;
      host.claimed += 1;
      host.inFlightOf.set(owner, (host.inFlightOf.get(owner) ?? 0) + 1);
    },

    /** Ends an attempt. Returns endpoints that may have capacity now. */
    endAttempt(name: string | null, owner: string): string[] {
      const host = name === null ? undefined : hosts.get(name);
      if (host === undefined) return [];
      host.inFlight -= 1;
      const leftOfOwner = (host.inFlightOf.get(owner) ?? 0) - 1;
      if (leftOfOwner > 0) host.inFlightOf.set(owner, leftOfOwner);
      else host.inFlightOf.delete(owner);
      return takeWaiting(host);
    },

    /** Ends a claim, when the outcome is written. Returns endpoints that may have capacity now. */
    release(name: string | null): string[] {
      const host = name === null ? undefined : hosts.get(name);
      if (name === null || host === undefined) return [];
      host.claimed -= 1;
      if (host.claimed === 0) hosts.delete(name);
      return takeWaiting(host);
    },
  };
}

/** Removes the endpoints that have waited longest, and returns their IDs. */
function takeWaiting({ waiting }: Host): string[] {
  const taken = waiting.values().take(MAX_WOKEN).toArray();
  for (const endpointId of taken) waiting.delete(endpointId);
  return taken;
}

const MAX_CACHED_KEYS = 20_000;
/**
 * Time until a secret that could not be decrypted is tried again. It is shorter than the interval
 * of sweeps, so that each sweep tries.
 */
const SECRET_RETRY_MS = 500;

/** Keeps a queue for each endpoint, and reloads it after a commit of another writer. */
export function createEndpointQueues(rt: Runtime) {
  const queues = new Map<string, EndpointQueue>();
  const readSigningKeys = createKeyReader(rt);
  /** ID of an endpoint whose secret could not be decrypted -> when to try again (monotonic). */
  const secretRetryAt = new Map<string, number>();

  /** Returns the endpoint's queue; undefined if nothing may be sent to the endpoint. */
  function load(endpointId: string, commitCount: number): EndpointQueue | undefined {
    const existing = queues.get(endpointId);
    if (existing?.commitCount === commitCount) return existing;
    const target = rt.store.endpoints.findTarget(endpointId);
    if (target === undefined) {
      if (existing?.claimedCount === 0) queues.delete(endpointId);
      return undefined;
    }
    if (existing) {
      existing.reload(target, commitCount);
      return existing;
    }
    const queue = new EndpointQueue(target, commitCount, storedNotBefore(rt, target));
    queues.set(endpointId, queue);
    return queue;
  }

  /** Returns undefined if a secret of the endpoint cannot be decrypted. */
  function loadSigningKeys(endpointId: string): SigningKeys | undefined {
    if ((secretRetryAt.get(endpointId) ?? 0) > rt.monotonic()) return undefined;
    try {
      const keys = readSigningKeys(endpointId);
      secretRetryAt.delete(endpointId);
      return keys;
    } catch (error) {
      if (!secretRetryAt.has(endpointId))
        rt.log("error", "Deliveries of an endpoint cannot be signed; they stay pending.", {
          endpoint: endpointId,
          error: (error as Error).message,
        });
      secretRetryAt.set(endpointId, rt.monotonic() + SECRET_RETRY_MS);
      return undefined;
    }
  }

  return {
    load,
    loadSigningKeys,
    find: (endpointId: string): EndpointQueue | undefined => queues.get(endpointId),
  };
}

/**
 * Returns the monotonic time before which the receiver wants no request, because it sent
 * Retry-After before a restart of the daemon; 0 if it did not.
 */
function storedNotBefore(rt: Runtime, { heldUntil, heldReason }: TargetRow): number {
  if (heldUntil === null || heldReason !== "retry_after") return 0;
  return rt.monotonic() + heldUntil - rt.now();
}

/**
 * Returns a function that decrypts signing secrets. A secret never changes, so its key is cached.
 */
function createKeyReader(rt: Runtime): (endpointId: string) => SigningKeys {
  const keys = new BoundedCache<string, SigningKey>(MAX_CACHED_KEYS);
  const decrypt = ({ id, sealed }: SecretRow): SigningKey =>
    keys.getOrInsertComputed(id, () => signingKey(rt.secrets.decrypt(sealed, id)));

  return (endpointId) => {
    const rows = rt.store.endpointSecrets.listValid(endpointId, rt.now());
    if (rows.length === 0) throw new Error(`Endpoint ${endpointId} has no valid signing secret.`);
    return {
      keys: rows.map(decrypt),
      validUntil: Math.min(...rows.map(({ expiresAt }) => expiresAt ?? Infinity)),
    };
  };
}
