import { hash } from "node:crypto";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "./runtime.ts";

/** A request that may come twice, because its sender could not see the answer. */
export type IdempotentRequest = { keyId: string; token: string; requestHash: Buffer };

const KEPT_MS = 86_400_000;

/** @param request what must be the same in a repeat */
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
 * The endpoint that the same request has made within a day.
 * @throws AppError idempotency_key_reused for another request under the same key
 */
export function findCreatedEndpoint(
  rt: Runtime,
  { keyId, token, requestHash }: IdempotentRequest,
): string | undefined {
  const made = rt.store.idempotency.find(keyId, token, rt.now() - KEPT_MS);
  if (made && !made.requestHash.equals(requestHash))
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was sent before, with another body.",
      {
        fix: "send another key for another request",
      },
    );
  return made?.endpointId;
}

/** Belongs inside the transaction that makes it: of two requests at once, one makes it and the other finds it. */
export function recordCreatedEndpoint(
  rt: Runtime,
  { keyId, token, requestHash }: IdempotentRequest,
  endpointId: string,
): void {
  rt.store.idempotency.deleteUntil(rt.now() - KEPT_MS);
  rt.store.idempotency.insert({ keyId, token, requestHash, endpointId, createdAt: rt.now() });
}
