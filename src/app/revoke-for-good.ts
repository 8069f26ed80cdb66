import { ON_REMOVAL } from "../features/on-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Revokes access for good: restoring a backup revokes it again.
 * @param ids the IDs of API keys, or of rows that a feature lists as access
 */
export function revokeForGood<T>(rt: Runtime, ids: readonly string[], revoke: () => T): T {
  const revoked = rt.tx(() => {
    const result = revoke();
    if (!rt.isDryRun()) for (const { accessRevoked } of ON_REMOVAL) accessRevoked?.(rt, ids);
    return result;
  });
  if (!rt.isDryRun()) for (const { committed } of ON_REMOVAL) committed?.(rt);
  return revoked;
}
