import type { Runtime } from "../runtime.ts";

/**
 * Re-encrypts every signing secret with a new master key, also while a daemon is running. The key
 * file holds both keys until all secrets are done; if the process is interrupted, both stay and
 * every secret can still be decrypted. A dry run only checks that every secret can be decrypted.
 * @returns the number of secrets
 */
export function rotateMasterKey(rt: Runtime): number {
  const count = rt.tx(() => {
    const rows = rt.store.endpointSecrets.list();
    // Decrypt all of them before changing a key: a failure leaves everything as it was.
    const decrypted = rows.map(({ id, sealed }) => ({ id, plain: rt.secrets.open(sealed, id) }));
    if (rt.isDryRun()) return rows.length;
    rt.secrets.addKey();
    for (const { id, plain } of decrypted)
      rt.store.endpointSecrets.updateSealed(id, rt.secrets.seal(plain, id));
    return rows.length;
  });
  if (rt.isDryRun()) return count;
  // `seal` runs in a transaction too, so no secret is encrypted with a key that is being removed.
  rt.tx(() => {
    const rows = rt.store.endpointSecrets.list();
    rt.secrets.dropOldKeys((opensWithNewest) =>
      rows.every(({ id, sealed }) => opensWithNewest(sealed, id)),
    );
  });
  return count;
}
