import { AppError } from "../domain/errors.ts";
import { drawSecret } from "../domain/webhooks/signature.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import { requireEndpoint } from "./endpoint-life.ts";

const DAY_MS = 86_400_000;
const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;

export type Rotation = {
  /** How long deliveries are signed with the old secret as well. */
  overlapMs?: number | undefined;
  /** Ends a rotation that is still going on. */
  force?: boolean;
};

/** A fresh signing secret, sealed and stored. Belongs inside a transaction: see SecretBox.seal. */
export function mintSigningSecret(rt: Runtime, endpointId: string): string {
  const secret = drawSecret(rt.random);
  const id = rt.newId("whs");
  const sealed = rt.secrets.seal(secret, id);
  rt.store.endpointSecrets.insert({ id, endpointId, sealed, createdAt: rt.now(), expiresAt: null });
  return secret;
}

/** The current one, for whoever made the endpoint and missed the answer. */
export function openSigningSecret(rt: Runtime, endpointId: string): string {
  const [current] = rt.store.endpointSecrets.live(endpointId, rt.now());
  if (!current) throw new Error(`the endpoint ${endpointId} has no secret`);
  return rt.secrets.open(current.sealed, current.id);
}

/**
 * A new signing secret, in this answer and in no other. Deliveries carry both signatures until the overlap is over.
 * @throws AppError invalid_input, resource_not_found, conflict while two secrets live already
 */
export function rotateSecret(
  rt: Runtime,
  id: string,
  { overlapMs = DEFAULT_OVERLAP_MS, force = false }: Rotation = {},
): { endpoint: EndpointRow; secret: string; oldEndsAt: number } {
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS)
    throw new AppError("invalid_input", "The old secret may live on for 0 to 7 days.");
  return rt.tx(() => {
    const endpoint = requireEndpoint(rt, id);
    const now = rt.now();
    if (rt.store.endpointSecrets.live(id, now).length > 1 && !force)
      throw new AppError("conflict", `${id} has two live secrets: finish its last rotation first, or force this one.`, {
        fix: `deskbell webhooks rotate-secret ${id} --finish when the receiver has the new one, or --force to drop the old one now`,
      });
    rt.store.endpointSecrets.removeOld(id);
    rt.store.endpointSecrets.expireCurrent(id, now + overlapMs);
    return { endpoint, secret: mintSigningSecret(rt, id), oldEndsAt: now + overlapMs };
  });
}

/** Drops the old secret now. @returns false: there was none */
export function finishRotation(rt: Runtime, id: string): boolean {
  return rt.tx(() => {
    requireEndpoint(rt, id);
    const isGoingOn = rt.store.endpointSecrets.live(id, rt.now()).length > 1;
    rt.store.endpointSecrets.removeOld(id);
    return isGoingOn;
  });
}
