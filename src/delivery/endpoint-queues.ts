import type { Runtime } from "../app/runtime.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import { type SigningKey, signingKey } from "../domain/webhooks/webhook-post.ts";
import type { SecretRow } from "../store/sealed.ts";
import { EndpointQueue, type SigningKeys } from "./endpoint-queue.ts";

const MAX_KEYS = 20_000;
/** Shorter than a sweep's interval, so that each sweep tries again to decrypt a secret. */
const SECRET_RETRY_MS = 500;

/** Keeps a queue for each endpoint, and reloads it after commits of others. */
export function createEndpointQueues(rt: Runtime) {
  const queues = new Map<string, EndpointQueue>();
  const readSigningKeys = createKeyReader(rt);
  /** The time to try again, for each endpoint whose secret could not be decrypted. */
  const secretRetryAt = new Map<string, number>();

  /** Returns undefined if the endpoint may not be sent to. */
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
    const queue = new EndpointQueue(target, commitCount);
    queues.set(endpointId, queue);
    return queue;
  }

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

/** Decrypts signing secrets. A secret never changes, so its key is cached. */
function createKeyReader(rt: Runtime): (endpointId: string) => SigningKeys {
  const keys = new BoundedCache<string, SigningKey>(MAX_KEYS);

  function decrypt({ id, sealed }: SecretRow): SigningKey {
    const cached = keys.get(id);
    if (cached !== undefined) return cached;
    const key = signingKey(rt.secrets.decrypt(sealed, id));
    keys.set(id, key);
    return key;
  }

  return (endpointId) => {
    const rows = rt.store.endpointSecrets.listValid(endpointId, rt.now());
    if (rows.length === 0) throw new Error(`Endpoint ${endpointId} has no valid signing secret.`);
    return {
      keys: rows.map(decrypt),
      validUntil: Math.min(...rows.map(({ expiresAt }) => expiresAt ?? Infinity)),
    };
  };
}
