import { type SigningKey, signingKey } from "../domain/webhooks/signature.ts";
import type { Runtime } from "../app/runtime.ts";
import type { SecretRow } from "../store/endpoint-secrets.ts";

const MAX_KEPT = 20_000;

/** The keys to sign with now, the current secret's first, and when the first of them ends. */
export type SigningKeys = { keys: SigningKey[]; validUntil: number };

/** Opens endpoints' secrets, each once: a secret's row never changes what it says. */
export function createSigningKeys(rt: Runtime): (endpointId: string) => SigningKeys {
  const opened = new Map<string, SigningKey>();

  function open({ id, sealed }: SecretRow): SigningKey {
    const known = opened.get(id);
    if (known !== undefined) return known;
    if (opened.size >= MAX_KEPT) opened.clear();
    const key = signingKey(rt.secrets.open(sealed, id));
    opened.set(id, key);
    return key;
  }

  return (endpointId) => {
    const rows = rt.store.endpointSecrets.listValid(endpointId, rt.now());
    if (rows.length === 0) throw new Error(`Endpoint ${endpointId} has no live signing secret.`);
    return {
      keys: rows.map(open),
      validUntil: Math.min(...rows.map(({ expiresAt }) => expiresAt ?? Infinity)),
    };
  };
}
