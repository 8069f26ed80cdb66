import { existsSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { generateSecret } from "../../domain/webhooks/signature.ts";
import type { Runtime } from "../runtime.ts";
import type { SecretRow } from "../../store/endpoint-secrets.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { getEndpoint } from "./endpoint-lifecycle.ts";

const DAY_MS = 86_400_000;
const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;

export type RotationOptions = {
  /** How long deliveries are signed with the old secret as well. */
  overlapMs?: number | undefined;
  /** Ends a rotation that is still going on. */
  force?: boolean;
  /** Does without a master key that is lost, and without a secret that it alone opened: for the operator alone to say. */
  allowNewMasterKey?: boolean;
};

/**
 * A fresh signing secret, sealed and stored. Belongs inside a transaction: see SecretBox.seal.
 * @throws AppError signing_unavailable
 */
export function createSigningSecret(rt: Runtime, endpointId: string): string {
  requireMasterKey(rt, rt.store.endpointSecrets.list());
  return sealNewSecret(rt, endpointId);
}

/** Makes the master key where there is none. */
function sealNewSecret(rt: Runtime, endpointId: string): string {
  const secret = generateSecret(rt.random);
  const id = rt.newId("whs");
  const sealed = rt.secrets.seal(secret, id);
  rt.store.endpointSecrets.insert({ id, endpointId, sealed, createdAt: rt.now(), expiresAt: null });
  return secret;
}

/** Sealed with another key, a new secret would open, and those that are stored never again beside it. */
function requireMasterKey({ config, secrets }: Runtime, stored: readonly SecretRow[]): void {
  if (secrets.opensAny(stored)) return;
  const what = existsSync(config.masterKeyPath)
    ? "The master key is not the one that the stored signing secrets are sealed with."
    : "The master key is gone, and the stored signing secrets open with it alone.";
  throw new AppError("signing_unavailable", what, {
    fix: `put the right ${config.masterKeyPath} back; if it is lost for good, give each endpoint a new secret: deskbell webhooks rotate-secret ID --force`,
  });
}

/** The current one, for whoever made the endpoint and missed the answer. */
export function decryptSigningSecret(rt: Runtime, endpointId: string): string {
  const [current] = rt.store.endpointSecrets.listValid(endpointId, rt.now());
  if (!current) throw new Error(`the endpoint ${endpointId} has no secret`);
  return rt.secrets.open(current.sealed, current.id);
}

export function canDecryptSecret(
  rt: Runtime,
  { id, sealed }: Pick<SecretRow, "id" | "sealed">,
): boolean {
  try {
    rt.secrets.open(sealed, id);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * A new signing secret, in this answer and in no other. Deliveries carry both signatures until the overlap is over.
 * @throws AppError invalid_input, resource_not_found, conflict while two secrets live already, signing_unavailable
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
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS)
    throw new AppError("invalid_input", "The old secret may live on for 0 to 7 days.");
  return rt.tx(() => {
    const endpoint = getEndpoint(rt, id);
    const now = rt.now();
    const [current, old] = rt.store.endpointSecrets.listValid(id, now);
    if (old && !force)
      throw new AppError(
        "conflict",
        `${id} has two live secrets: finish its last rotation when the receiver has the newer one, or force this one.`,
        {
          fix: `deskbell webhooks rotate-secret ${id} --finish, or the same again with --force`,
        },
      );
    if (!allowNewMasterKey)
      requireMasterKey(rt, current ? [current] : rt.store.endpointSecrets.list());
    // One that does not open would hold up every delivery for as long as it lived on.
    const isShut = allowNewMasterKey && current !== undefined && !canDecryptSecret(rt, current);
    const oldEndsAt = isShut ? now : now + overlapMs;
    if (isShut) rt.store.endpointSecrets.deleteAll(id);
    rt.store.endpointSecrets.deleteOld(id);
    rt.store.endpointSecrets.expireCurrent(id, oldEndsAt);
    return { endpoint, secret: sealNewSecret(rt, id), oldEndsAt };
  });
}

/** Drops the old secret now. @returns false: there was none */
export function finishSecretRotation(rt: Runtime, id: string): boolean {
  return rt.tx(() => {
    getEndpoint(rt, id);
    const isGoingOn = rt.store.endpointSecrets.listValid(id, rt.now()).length > 1;
    rt.store.endpointSecrets.deleteOld(id);
    return isGoingOn;
  });
}
