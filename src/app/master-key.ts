import { existsSync } from "node:fs";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

type Sealed = { id: string; sealed: Buffer; endpointId?: string };

/** The stored secrets: those of endpoints, and those of destinations with their credentials. */
export function* iterateSecrets({ store }: Pick<Runtime, "store">): Iterable<Sealed> {
  yield* store.endpointSecrets.iterate();
  yield* store.destinations.list();
}

export const guestRowId = (visitId: string): string => `guest ${visitId}`;

const KEY_CHECK_ID = "key check";

/** Guests whose data are tried: a wrong key decrypts none. */
const TRIED_GUESTS = 100;

/** If there are guests: the text by which a rotation has accepted its key, and their data. */
export function* iterateGuests({ store }: Pick<Runtime, "store">): Iterable<Sealed> {
  let count = 0;
  for (const { visitId, sealed } of store.guests.iterateAll()) {
    const accepted = count === 0 ? store.file.findKeyCheck() : null;
    if (accepted !== null) yield { id: KEY_CHECK_ID, sealed: accepted };
    yield { id: guestRowId(visitId), sealed };
    count += 1;
    if (count === TRIED_GUESTS) return;
  }
}

function* iterateStored(rt: Pick<Runtime, "store">): Iterable<Sealed> {
  yield* iterateSecrets(rt);
  yield* iterateGuests(rt);
}

/** Lets a new master key be used for guest data. Call it in a transaction, see SecretBox.seal. */
export const acceptMasterKey = ({ store, secrets }: Pick<Runtime, "store" | "secrets">): void =>
  store.file.saveKeyCheck(secrets.seal("", KEY_CHECK_ID));

/**
 * Text encrypted with a wrong or new key would hide that the stored text needs another key.
 * @throws AppError signing_unavailable if the master key decrypts nothing that is stored
 */
export function assertMasterKey(rt: Runtime, stored: Iterable<Sealed> = iterateStored(rt)): void {
  if (rt.secrets.opensAny(stored)) return;
  const { masterKeyPath } = rt.config;
  const [secret] = iterateSecrets(rt);
  throw secret === undefined ? guestsError(masterKeyPath) : secretsError(masterKeyPath);
}

/**
 * Creates the master key of a server that has encrypted nothing yet.
 * @throws AppError signing_unavailable if something is encrypted with a key that is missing
 */
export function createMasterKey(rt: Runtime): void {
  assertMasterKey(rt);
  rt.tx(() => acceptMasterKey(rt));
}

function guestsError(masterKeyPath: string): AppError {
  const what = existsSync(masterKeyPath)
    ? "The master key does not match the stored guest data."
    : "The master key is missing, so the stored guest data cannot be decrypted.";
  return new AppError("signing_unavailable", what, {
    fix: `copy the master key back to ${masterKeyPath}; if it is lost, so are the stored guest data; then create a new key: deskbell keys rotate-master`,
  });
}

function secretsError(masterKeyPath: string): AppError {
  const what = existsSync(masterKeyPath)
    ? "The master key does not match the stored signing secrets."
    : "The master key is missing, so the stored signing secrets cannot be decrypted.";
  return new AppError("signing_unavailable", what, {
    fix: `restore the right ${masterKeyPath}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force, and create destinations again`,
  });
}
