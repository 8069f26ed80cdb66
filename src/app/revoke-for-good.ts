import { ON_REMOVAL } from "../features/on-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Revokes access for good: restoring a backup revokes it again.
 * @param id the ID of an API key, or of a row that a feature lists as access
 */
export const revokeForGood = <T>(rt: Runtime, id: string, revoke: () => T): T =>
  revokeAllForGood(rt, (record) => {
    const result = revoke();
    record(id);
    return result;
  });

/**
 * Revokes several accesses for good, in one transaction.
 * @param revoke calls `record` with the ID of each that it has revoked
 */
export function revokeAllForGood<T>(rt: Runtime, revoke: (record: (id: string) => void) => T): T {
  const hooks = rt.isDryRun() ? [] : ON_REMOVAL;
  const record = (id: string): void => {
    for (const { accessRevoked } of hooks) accessRevoked?.(rt, id);
  };
  const result = rt.tx(() => revoke(record));
  for (const { committed } of hooks) committed?.(rt);
  return result;
}
