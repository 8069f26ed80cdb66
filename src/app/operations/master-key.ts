import type { Runtime } from "../runtime.ts";

/**
 * Encrypts every signing secret with a new master key. A daemon on the same data goes on: until all are done, both keys are in
 * the key file. Wherever it breaks off, both stay there and everything opens; run again, it starts over.
 * A dry run only checks that every secret opens.
 * @returns how many secrets
 */
export function rotateMasterKey(rt: Runtime): number {
  const count = rt.tx(() => {
    const rows = rt.store.endpointSecrets.list();
    // Opened before the first key is touched: what does not open now would not afterwards.
    const opened = rows.map(({ id, sealed }) => ({ id, plain: rt.secrets.open(sealed, id) }));
    if (rt.isDryRun()) return rows.length;
    rt.secrets.addKey();
    for (const { id, plain } of opened)
      rt.store.endpointSecrets.updateSealed(id, rt.secrets.seal(plain, id));
    return rows.length;
  });
  if (rt.isDryRun()) return count;
  // Under the same lock that whoever seals holds: nobody seals with a key that is being dropped.
  rt.tx(() => {
    const rows = rt.store.endpointSecrets.list();
    rt.secrets.dropOldKeys((opensWithNewest) =>
      rows.every(({ id, sealed }) => opensWithNewest(sealed, id)),
    );
  });
  return count;
}
