import { hash } from "node:crypto";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

/** A request that its sender may repeat if the response was lost. */
export type IdempotentRequest = { keyId: string; token: string; requestHash: Buffer };

const RETENTION_MS = 86_400_000;

/** @param request the data that must be equal in a repeated request */
export const idempotentRequest = (
  keyId: string,
  token: string,
  request: unknown,
): IdempotentRequest => ({
  keyId,
  token,
  requestHash: hash("sha256", JSON.stringify(request), "buffer"),
});

/**
 * Returns the ID of the endpoint that the same request created within the last day.
 * @throws AppError idempotency_key_reused if the key was used for another request
 */
export function findCreatedEndpoint(
  rt: Runtime,
  { keyId, token, requestHash }: IdempotentRequest,
): string | undefined {
  const created = rt.store.idempotency.find(keyId, token, rt.now() - RETENTION_MS);
  if (created && !created.requestHash.equals(requestHash))
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was already used with another body.",
      { fix: "use a new key for each request" },
    );
  return created?.endpointId;
}

/**
 * Call it inside the transaction that creates the endpoint: of two concurrent requests, one creates
 * it and the other finds it.
 */
export function recordCreatedEndpoint(
  rt: Runtime,
  { keyId, token, requestHash }: IdempotentRequest,
  endpointId: string,
): void {
  rt.store.idempotency.deleteUntil(rt.now() - RETENTION_MS);
  rt.store.idempotency.insert({ keyId, token, requestHash, endpointId, createdAt: rt.now() });
}
