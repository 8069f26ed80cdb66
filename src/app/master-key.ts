import { existsSync } from "node:fs";
import { AppError } from "../domain/errors.ts";
import type { SecretRow } from "../store/endpoint-secrets.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Text encrypted with a wrong or new key would hide that the stored secrets need another key.
 * @throws AppError signing_unavailable if the master key decrypts none of the secrets
 */
export function assertMasterKey({ config, secrets }: Runtime, stored: Iterable<SecretRow>): void {
  if (secrets.opensAny(stored)) return;
  const what = existsSync(config.masterKeyPath)
    ? "The master key does not match the stored signing secrets."
    : "The master key is missing, so the stored signing secrets cannot be decrypted.";
  throw new AppError("signing_unavailable", what, {
    fix: `restore the right ${config.masterKeyPath}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force`,
  });
}
