import { ON_REMOVAL } from "../features/on-removal.ts";
import { removeForGood } from "./record-removal.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Revokes access for good: restoring a backup revokes it again.
 * @param ids the IDs of API keys, or of rows in tables that a feature lists under `access`
 */
export const revokeForGood = <T>(rt: Runtime, ids: readonly string[], revoke: () => T): T =>
  removeForGood(rt, {
    remove(record) {
      const result = revoke();
      if (ids.length > 0) record();
      return result;
    },
    record: ({ accessRevoked }) => accessRevoked?.(rt, ids),
    consequence: "a restore of a backup would end the access",
  });

/**
 * Records access, or a secret of an API key, that ends at once: restoring a backup ends it again.
 * Call it last in the transaction that ends the access. If the record came after the commit, a
 * crash between the two would let a restore bring back a secret that has leaked. A record cannot be
 * undone: if the commit fails, the secret stays valid, and ends only with the next restore.
 * @param ids the IDs for `revokeForGood`, or the IDs of secrets (`secretId`)
 */
export function recordRevoked(rt: Runtime, ids: readonly string[]): void {
  if (ids.length === 0 || rt.isDryRun()) return;
  for (const { accessRevoked } of ON_REMOVAL) accessRevoked?.(rt, ids);
}

/** Call it with the IDs of `recordRevoked` once the transaction has committed. */
export function afterRevoking(rt: Runtime, ids: readonly string[]): void {
  if (ids.length === 0 || rt.isDryRun()) return;
  for (const { committed } of ON_REMOVAL) committed?.(rt);
}
