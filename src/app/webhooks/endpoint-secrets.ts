import { AppError } from "../../domain/errors.ts";
import { generateSecret } from "../../domain/webhooks/webhook-post.ts";
import { audit, auditRow, auditTime } from "../audit.ts";
import { listSealedGuests, reencryptGuests } from "../bookings/guests.ts";
import { listSealedReplies, reencryptReplies } from "../idempotent-replies.ts";
import { acceptMasterKey, assertMasterKey, iterateSecrets } from "../master-key.ts";
import { ON_KEY_ROTATION } from "../../features/on-key-rotation.ts";
import type { FeatureReport } from "../feature-hooks.ts";
import type { Runtime } from "../runtime.ts";
import type { SecretRow } from "../../store/sealed.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";
import { assertOverlap, DEFAULT_OVERLAP_MS } from "../keys.ts";

export type RotationOptions = {
  overlapMs?: number | undefined;
  /** Rotates even during an overlap, and drops the secret that the last rotation created. */
  force?: boolean;
  /** Allows creating a master key if the old one is lost. The operator alone may allow it. */
  allowNewMasterKey?: boolean;
};

/**
 * Creates a signing secret. Call it in a transaction, because a rotation of the master key waits
 * for that transaction.
 * @throws AppError signing_unavailable
 */
export function createSigningSecret(rt: Runtime, endpointId: string): string {
  assertMasterKey(rt);
  return storeNewSecret(rt, endpointId);
}

/** Stores a new secret, and creates the master key if there is none. */
function storeNewSecret(rt: Runtime, endpointId: string): string {
  const secret = generateSecret(rt.random);
  const id = rt.newId("whs");
  const sealed = rt.secrets.encrypt(secret, id);
  rt.store.endpointSecrets.insert({ id, endpointId, sealed, createdAt: rt.now(), expiresAt: null });
  return secret;
}

export function canDecryptSecret(
  rt: Runtime,
  { id, sealed }: Pick<SecretRow, "id" | "sealed">,
): boolean {
  try {
    rt.secrets.decrypt(sealed, id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "signing_unavailable") return false;
    throw error;
  }
}

/**
 * Creates a new signing secret. Deliveries have the signatures of both secrets until the overlap
 * ends.
 * @throws AppError validation_failed, resource_not_found, conflict if the last rotation is not
 *   finished, signing_unavailable
 */
export function rotateEndpointSecret(
  rt: Runtime,
  id: string,
  {
    overlapMs = DEFAULT_OVERLAP_MS,
    force = false,
    allowNewMasterKey = false,
  }: RotationOptions = {},
): { endpoint: EndpointRow; secret: string; oldEndsAt: number } {
  assertOverlap(overlapMs);
  return rt.tx(() => {
    const now = rt.now();
    getEndpoint(rt, id);
    const [current, old] = rt.store.endpointSecrets.listValid(id, now);
    if (old && !force)
      throw new AppError(
        "conflict",
        `The last rotation of ${id} is not finished: finish it once the receiver uses the new secret, or rotate again with force.`,
        { fix: `deskbell webhooks rotate-secret ${id} --finish, or rotate again with --force` },
      );
    // The current secret shows whether the master key is right. If there is no current secret, any
    // stored text shows it.
    if (!allowNewMasterKey) assertMasterKey(rt, current && [current]);
    // The oldest secret stays valid during the overlap, because the receiver still uses it if the
    // response to the last rotation was lost.
    const oldest = old ?? current;
    // A secret that cannot be decrypted would block every delivery during the overlap.
    const dropsOldest =
      overlapMs === 0 ||
      (allowNewMasterKey && oldest !== undefined && !canDecryptSecret(rt, oldest));
    const oldEndsAt = dropsOldest ? now : now + overlapMs;
    if (dropsOldest || !oldest) rt.store.endpointSecrets.deleteAll(id);
    else rt.store.endpointSecrets.keepOnly(oldest, oldEndsAt);
    const secret = storeNewSecret(rt, id);
    if (allowNewMasterKey) acceptMasterKey(rt);
    rt.store.endpoints.raiseVersion(id);
    const endpoint = getEndpoint(rt, id);
    auditRow(rt, "endpoint.secret_rotated", endpoint, {
      oldSecretEndsAt: auditTime(oldEndsAt),
    });
    return { endpoint, secret, oldEndsAt };
  });
}

/**
 * Ends the overlap of a rotation at once.
 * @returns `finished`, which is false if there was no old secret
 */
export function finishSecretRotation(
  rt: Runtime,
  id: string,
): { endpoint: EndpointRow; finished: boolean } {
  return rt.tx(() => {
    const finished = findOldSecretEnd(rt, id) !== null;
    rt.store.endpointSecrets.deleteOld(id);
    if (finished) rt.store.endpoints.raiseVersion(id);
    const endpoint = getEndpoint(rt, id);
    if (finished) auditRow(rt, "endpoint.secret_rotation_finished", endpoint);
    return { endpoint, finished };
  });
}

/** Returns when the overlap of an endpoint's rotation ends; null if there is no overlap. */
export const findOldSecretEnd = (rt: Runtime, id: string): number | null =>
  rt.store.endpointSecrets.listValid(id, rt.now()).find(({ expiresAt }) => expiresAt !== null)
    ?.expiresAt ?? null;

/**
 * Encrypts a secret of an endpoint or a feature with the newest master key. Both stores are
 * updated, because the ID does not tell which of them has the secret.
 */
export function reencryptSecret(rt: Runtime, id: string, plain: string): void {
  const sealed = rt.secrets.encrypt(plain, id);
  rt.store.endpointSecrets.updateSealed(id, sealed);
  rt.store.featureSecrets.updateSealed(id, sealed);
}

/**
 * Rotates the master key, even while a daemon is running. The key file holds both keys until all
 * secrets, replies and guest data are re-encrypted, so an interruption loses nothing. A dry run
 * only checks that every secret can be decrypted.
 * @returns the number of secrets (of endpoints and features), the number of guests, what features
 *   have done, and the files of the earlier keys, which only decrypt
 */
export function rotateMasterKey(rt: Runtime): {
  secrets: number;
  guests: number;
  reports: FeatureReport[];
  oldKeys: string[];
} {
  const count = rt.tx(() => {
    // All secrets are decrypted before a key changes: a failure leaves everything as it was.
    const rows = [...iterateSecrets(rt)].map(({ id, sealed }) => ({
      id,
      plain: rt.secrets.decrypt(sealed, id),
    }));
    if (rt.isDryRun()) return rows.length;
    rt.secrets.addKey();
    for (const { id, plain } of rows) reencryptSecret(rt, id, plain);
    reencryptReplies(rt);
    acceptMasterKey(rt);
    audit(rt, {
      action: "master_key.rotated",
      subject: { id: null, name: "master key" },
      businessId: null,
      details: { secrets: rows.length },
    });
    return rows.length;
  });
  if (rt.isDryRun())
    return {
      secrets: count,
      guests: listSealedGuests(rt).length,
      reports: ON_KEY_ROTATION.map((onRotation) => onRotation(rt)),
      oldKeys: [],
    };
  const guests = reencryptGuests(rt);
  const reports = ON_KEY_ROTATION.map((onRotation) => onRotation(rt));
  // `encrypt` runs in a transaction too, so no secret is encrypted with a key that is being
  // removed.
  const oldKeys = rt.tx(() => {
    const rows = [...iterateSecrets(rt), ...listSealedReplies(rt), ...listSealedGuests(rt)];
    return rt.secrets.dropOldKeys((decryptsWithNewest) =>
      rows.every(({ id, sealed }) => decryptsWithNewest(sealed, id)),
    );
  });
  return { secrets: count, guests, reports, oldKeys };
}
