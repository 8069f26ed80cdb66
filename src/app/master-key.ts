import { existsSync } from "node:fs";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

type Sealed = { id: string; sealed: Buffer; endpointId?: string };

/** The stored secrets: those of endpoints, and those of destinations with their credentials. */
export function* iterateSecrets({ store }: Pick<Runtime, "store">): Iterable<Sealed> {
  yield* store.endpointSecrets.iterate();
  yield* store.destinations.list();
}

/**
 * Text encrypted with a wrong or new key would hide that the stored secrets need another key.
 * @throws AppError signing_unavailable if the master key decrypts none of the secrets
 */
export function assertMasterKey(rt: Runtime, stored: Iterable<Sealed> = iterateSecrets(rt)): void {
  const { config, secrets } = rt;
  if (secrets.opensAny(stored)) return;
  const what = existsSync(config.masterKeyPath)
    ? "The master key does not match the stored signing secrets."
    : "The master key is missing, so the stored signing secrets cannot be decrypted.";
  throw new AppError("signing_unavailable", what, {
    fix: `restore the right ${config.masterKeyPath}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force, and create destinations again`,
  });
}
