import { ON_REMOVAL } from "../features/on-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Revokes access for good: restoring a backup revokes it again.
 * @param ids the IDs of API keys, of their secrets (`secretId`), or of rows in tables that a
 *   feature lists under `access`
 */
export function revokeForGood<T>(rt: Runtime, ids: readonly string[], revoke: () => T): T {
  const hooks = rt.isDryRun() ? [] : ON_REMOVAL;
  const revoked = rt.tx(() => {
    const result = revoke();
    for (const { accessRevoked } of hooks) accessRevoked?.(rt, ids);
    return result;
  });
  for (const { committed } of hooks) committed?.(rt);
  return revoked;
}
