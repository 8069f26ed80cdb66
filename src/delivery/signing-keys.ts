import type { Runtime } from "../app/runtime.ts";
import { BoundedCache } from "../domain/bounded-cache.ts";
import { type SigningKey, signingKey } from "../domain/webhooks/signature.ts";
import type { SecretRow } from "../store/endpoint-secrets.ts";

const MAX_KEYS = 20_000;

/** The keys to sign with, current secret first, and when the first of them expires (epoch ms). */
export type SigningKeys = { keys: SigningKey[]; validUntil: number };

/** Decrypts the signing secrets of endpoints. A secret never changes, so its key is cached. */
export function createSigningKeys(rt: Runtime): (endpointId: string) => SigningKeys {
  const keys = new BoundedCache<string, SigningKey>(MAX_KEYS);

  function decrypt({ id, sealed }: SecretRow): SigningKey {
    const cached = keys.get(id);
    if (cached !== undefined) return cached;
    const key = signingKey(rt.secrets.open(sealed, id));
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
