import { openCondition } from "../domain/conditions/registry.ts";
import { AppError } from "../domain/errors.ts";
import { quote } from "../domain/text.ts";
import type { Credential, ListedKey } from "../store/keys.ts";
import {
  assertNotEnded,
  assertOverlap,
  getKey,
  replaceKeySecret,
  type RotatedKey,
} from "./keys.ts";
import { notify } from "./notices.ts";
import type { Runtime } from "./runtime.ts";

// An API key can rotate itself over HTTP if the operator allows it. An old secret cannot start a
// rotation: otherwise a thief with an old secret could take the key back during the overlap. A
// thief with the newest secret can rotate the key, too. The operator is therefore alerted of every
// rotation over HTTP, and whoever sends the old secret is told to ask the business.

/** How long the secret that rotated its key may repeat the request, to get a lost response. */
const REPEATABLE_MS = 600_000;

/**
 * Asserts that a request may rotate its key, or repeat the request that rotated it. Call it before
 * the stored reply of a repeated request is looked up.
 * @throws AppError rotation_not_allowed
 */
export function assertMayAskToRotate(key: Credential, now: number): void {
  if (!key.selfRotation)
    throw new AppError("rotation_not_allowed", "This key may not rotate itself.", {
      fix: "ask the business to rotate it, or to allow it to rotate itself",
    });
  // A secret expires if and only if a rotation has replaced it.
  if (key.secretExpiresAt !== null && !mayRepeat(key, now)) throw oldSecretError();
}

/** Returns whether an old secret may still repeat the request with which it rotated its key. */
export const mayRepeat = (
  { secretRepeatsUntil }: Pick<Credential, "secretRepeatsUntil">,
  now: number,
): boolean => secretRepeatsUntil !== null && secretRepeatsUntil > now;

export type SelfRotation = RotatedKey & {
  oldSecretEndsAt: number;
  /** Until when the old secret may repeat the request. */
  repeatableUntil: number;
};

/**
 * Gives the key of a request a new secret, and alerts the operator. The key keeps its ID, scopes,
 * limits and expiry. Call it in a transaction, with the credential as it is in this transaction.
 * @throws AppError rotation_not_allowed, validation_failed; conflict if the old secret of the last
 *   rotation is still valid, unless `overlapMs` is 0
 */
export function rotateOwnKey(rt: Runtime, credential: Credential, overlapMs: number): SelfRotation {
  assertOverlap(overlapMs);
  const now = rt.now();
  assertMayAskToRotate(credential, now);
  // An old secret may get a lost response again, but not start another rotation.
  if (credential.secretExpiresAt !== null) throw oldSecretError();
  const key = getKey(rt, credential.secretKeyId);
  assertNotEnded(rt, key);
  const lastRotation = rt.store.keySecrets.findRotation(key.id);
  if (overlapMs > 0 && lastRotation !== undefined && lastRotation.oldSecretEndsAt > now)
    throw new AppError(
      "conflict",
      "The old secret of the last rotation is still valid, and a key has at most two valid secrets.",
      {
        fix: "wait until the old secret has ended, or send overlapSeconds 0, which ends both at once",
      },
    );
  const oldSecretEndsAt = now + overlapMs;
  const repeatableUntil = now + REPEATABLE_MS;
  const created = replaceKeySecret(rt, key, {
    expiresAt: oldSecretEndsAt,
    repeatsUntil: repeatableUntil,
  });
  notifyRotated(rt, key, credential.businessSlug);
  return { ...created, oldSecretEndsAt, repeatableUntil };
}

const oldSecretError = (): AppError =>
  new AppError(
    "rotation_not_allowed",
    "The key has been rotated since, and only its newest secret can rotate it.",
    {
      fix: "use the newest secret. If you did not rotate the key, tell the business at once: the key is stolen",
    },
  );

function notifyRotated(
  rt: Runtime,
  { id, name, businessId }: ListedKey,
  businessSlug: string,
): void {
  const { address } = rt.actor();
  const from = address === null ? "" : ` from ${address}`;
  notify(
    rt,
    openCondition(
      "key.rotated_itself",
      `the API key ${quote(name)} was rotated with its own secret${from}: unless its partner did this, the key is stolen, and the command ends all of its secrets`,
      `deskbell keys rotate ${id} --overlap 0s`,
      {
        business: businessId === null ? null : businessSlug,
        subject: { id, name },
        since: rt.now(),
      },
    ),
  );
}
