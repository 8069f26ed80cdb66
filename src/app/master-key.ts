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
 * @throws AppError signing_unavailable if the master key decrypts none of the secrets, or is
 *   missing while guest data are stored
 */
export function assertMasterKey(rt: Runtime, stored: Iterable<Sealed> = iterateSecrets(rt)): void {
  const { config, secrets } = rt;
  if (!secrets.opensAny(stored)) throw secretsError(config.masterKeyPath);
  // Next, a new key would be created. Guest data encrypted with it would be lost when the right
  // key is put back.
  if (isGuestKeyMissing(rt))
    throw new AppError(
      "signing_unavailable",
      "The master key is missing, so the stored guest data cannot be decrypted.",
      {
        fix: `copy the master key back to ${config.masterKeyPath}; if it is lost, so are the stored guest data; then create a new key: deskbell keys rotate-master`,
      },
    );
}

/** Whether there is no master key, although guest data are stored. */
export const isGuestKeyMissing = ({ config, store }: Pick<Runtime, "config" | "store">): boolean =>
  !existsSync(config.masterKeyPath) && store.guests.listAfter("", 1).length > 0;

function secretsError(masterKeyPath: string): AppError {
  const what = existsSync(masterKeyPath)
    ? "The master key does not match the stored signing secrets."
    : "The master key is missing, so the stored signing secrets cannot be decrypted.";
  return new AppError("signing_unavailable", what, {
    fix: `restore the right ${masterKeyPath}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force, and create destinations again`,
  });
}
