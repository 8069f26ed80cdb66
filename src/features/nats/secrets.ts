import type { DestinationRow } from "./store.ts";
import type { Runtime } from "../../app/runtime.ts";

/** How deskbell logs in to a NATS server. */
export type Credentials =
  | { kind: "none" }
  | { kind: "user"; user: string; password: string }
  | { kind: "token"; token: string }
  | { kind: "nkey"; seed: string };

/** The secrets of a destination, which are stored encrypted. */
export type DestinationSecrets = { signingSecret: string; credentials: Credentials };

/**
 * Encrypts secrets. Call it in the transaction that stores the result: otherwise a rotation of the
 * master key could happen in between and miss the secrets.
 */
export const encryptSecrets = (
  { secrets }: Pick<Runtime, "secrets">,
  id: string,
  plain: DestinationSecrets,
): Buffer => secrets.encrypt(JSON.stringify(plain), id);

/** @throws AppError signing_unavailable */
export const decryptSecrets = (
  { secrets }: Pick<Runtime, "secrets">,
  { id, sealed }: Pick<DestinationRow, "id" | "sealed">,
): DestinationSecrets => JSON.parse(secrets.decrypt(sealed, id)) as DestinationSecrets;
