import { ON_REMOVAL } from "../features/on-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Revokes access for good: restoring a backup revokes it again.
 * @param ids the IDs of API keys, or of rows in tables that a feature lists under `access`
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

/**
 * Records secrets of API keys that have ended at once, because they may have leaked: restoring a
 * backup ends them again. Call it after the commit, because a rotation whose new secret cannot be
 * shown is undone, and the old secret then stays valid.
 * @param ids the IDs of the secrets, by `secretId`
 */
export function keepEnded(rt: Runtime, ids: readonly string[]): void {
  if (ids.length === 0 || rt.isDryRun()) return;
  for (const { accessRevoked, committed } of ON_REMOVAL) {
    accessRevoked?.(rt, ids);
    committed?.(rt);
  }
}
