import { existsSync } from "node:fs";
import { AppError } from "../domain/errors.ts";
import { FEATURES } from "../features/index.ts";
import type { Runtime } from "./runtime.ts";

/**
 * A text that is encrypted with a master key, and the ID with which it was encrypted. The signing
 * secret of an endpoint also has the endpoint's ID.
 */
type Sealed = { id: string; sealed: Buffer; endpointId?: string };

type Stores = Pick<Runtime, "store">;

/** The ID of the key check: an empty text, encrypted with the master key that was accepted last. */
const KEY_CHECK_ID = "key check";

/**
 * Number of guests whose data are decrypted to test the key. A wrong key decrypts none of the data,
 * so a few guests are enough.
 */
const TRIED_GUESTS = 100;

export const guestRowId = (visitId: string): string => `guest ${visitId}`;

/**
 * Asserts that the key file decrypts at least one stored secret or guest, or that none is stored.
 * Otherwise new text would be encrypted with a wrong or new key, and nobody would notice that the
 * stored text needs another key.
 * @throws AppError signing_unavailable if the master key decrypts nothing that is stored
 */
export function assertMasterKey(rt: Runtime, stored: Iterable<Sealed> = iterateStored(rt)): void {
  if (rt.secrets.decryptsAny(stored)) return;
  const { masterKeyPath } = rt.config;
  const [firstSecret] = iterateSecrets(rt);
  throw firstSecret === undefined ? guestsError(masterKeyPath) : secretsError(masterKeyPath);
}

/** Returns whether the key file decrypts some stored secret or guest, so that it must be kept. */
export function isMasterKeyUsed(rt: Runtime): boolean {
  const stored = [...iterateStored(rt)];
  return rt.secrets.listUndecryptable(stored).length < stored.length;
}

/**
 * Creates the master key if the server has encrypted nothing yet.
 * @throws AppError signing_unavailable if stored text is encrypted with a key that is missing
 */
export function ensureMasterKey(rt: Runtime): void {
  assertMasterKey(rt);
  rt.tx(() => acceptMasterKey(rt));
}

/**
 * Stores a text encrypted with the master key, which is created if there is none. `assertMasterKey`
 * then accepts this key, even if only an older key decrypts the guest data. Call it in a
 * transaction, because a rotation of the key waits for that transaction.
 */
export const acceptMasterKey = ({ store, secrets }: Pick<Runtime, "store" | "secrets">): void =>
  store.file.saveKeyCheck(secrets.encrypt("", KEY_CHECK_ID));

function* iterateStored(stores: Stores): Iterable<Sealed> {
  yield* iterateSecrets(stores);
  yield* iterateGuests(stores);
}

/** Yields the stored secrets of endpoints and of features, such as credentials. */
export function* iterateSecrets({ store }: Stores): Iterable<Sealed> {
  yield* store.endpointSecrets.iterate();
  yield* store.featureSecrets.list();
}

/** Yields the key check and the data of some guests; nothing if there are no guests. */
export function* iterateGuests({ store }: Stores): Iterable<Sealed> {
  let tried = 0;
  for (const { visitId, sealed } of store.guests.iterateAll()) {
    const keyCheck = tried === 0 ? store.file.findKeyCheck() : null;
    if (keyCheck !== null) yield { id: KEY_CHECK_ID, sealed: keyCheck };
    yield { id: guestRowId(visitId), sealed };
    tried += 1;
    if (tried === TRIED_GUESTS) return;
  }
}

function guestsError(masterKeyPath: string): AppError {
  const what = existsSync(masterKeyPath)
    ? "The master key does not match the stored guest data."
    : "The master key is missing, so the stored guest data cannot be decrypted.";
  return new AppError("signing_unavailable", what, {
    fix: `copy the master key back to ${masterKeyPath}; if it is lost, so are the stored guest data; then create a new key: deskbell keys rotate-master`,
  });
}

/**
 * Returns the end of a sentence, which tells the operator how to replace the lost secrets of
 * features.
 */
export const andOtherSecrets = (): string =>
  FEATURES.flatMap(({ secretTables = {} }) => Object.values(secretTables))
    .map((remedy) => `, and ${remedy}`)
    .join("");

function secretsError(masterKeyPath: string): AppError {
  const what = existsSync(masterKeyPath)
    ? "The master key does not match the stored signing secrets."
    : "The master key is missing, so the stored signing secrets cannot be decrypted.";
  return new AppError("signing_unavailable", what, {
    fix: `copy the master key back to ${masterKeyPath}; if it is lost, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force${andOtherSecrets()}`,
  });
}
