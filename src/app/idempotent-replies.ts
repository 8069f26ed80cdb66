import { createHmac } from "node:crypto";
import { AppError } from "../domain/errors.ts";
import type { IdempotencyRow } from "../store/sealed.ts";
import type { Runtime } from "./runtime.ts";
import { assertMasterKey } from "./master-key.ts";

// Replies may contain signing secrets and guest data, so they are encrypted with the master key.
// The request itself is not stored, but its HMAC is. The key of the HMAC is encrypted together with
// the reply, so that the HMAC still matches after a rotation of the master key.

/** How long a reply is kept for a repeated request. */
const REPLAYABLE_MS = 86_400_000;

/** A response without the headers that differ for each request. */
export type Reply = {
  status: number;
  headers: string[];
  body: Buffer | null;
  /** When the reply can no longer be repeated; absent for a reply that is kept for a day. */
  endsAt?: number;
};

/**
 * Identifies a request: `token` is its Idempotency-Key, and `request` has everything that must be
 * equal when the request is repeated.
 */
export type IdempotentRequest = { keyId: string; token: string; request: string };

/** The part of a reply that is stored encrypted, as JSON. */
type Sealed = { hmacKey: string; status: number; headers: string[]; body: string | null };

const rowIdOf = ({ keyId, token }: Pick<IdempotencyRow, "keyId" | "token">): string =>
  `${keyId} ${token}`;

/**
 * Returns the stored reply to a request; undefined if there is none, or it can no longer be
 * repeated.
 * @throws AppError idempotency_key_reused, signing_unavailable
 */
export function findReply(rt: Runtime, request: IdempotentRequest): Reply | undefined {
  const row = findRow(rt, request);
  if (row === undefined) return undefined;
  const { hmacKey, ...reply } = openRow(rt, row);
  if (!hmacOf(hmacKey, request).equals(row.requestHmac))
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was already used for another request.",
      { fix: "use a new key for each request" },
    );
  return reply;
}

type Token = Pick<IdempotentRequest, "keyId" | "token">;

const findRow = (rt: Runtime, { keyId, token }: Token): IdempotencyRow | undefined =>
  rt.store.idempotency.find(keyId, token, rt.now() - REPLAYABLE_MS, rt.now());

/** @throws AppError signing_unavailable */
function openRow(rt: Runtime, row: IdempotencyRow): Reply & { hmacKey: string } {
  const sealed = JSON.parse(rt.secrets.decrypt(row.sealed, rowIdOf(row))) as Sealed;
  return { ...sealed, body: sealed.body === null ? null : Buffer.from(sealed.body) };
}

/** Returns whether a reply is stored for a token, whatever request the token was sent with. */
export const hasReply = (rt: Runtime, token: Token): boolean => findRow(rt, token) !== undefined;

/**
 * Returns the stored reply for a token, whatever request the token was sent with. The caller must
 * have checked that the client is the one that sent the first request.
 * @throws AppError signing_unavailable
 */
export function findReplyOfToken(rt: Runtime, token: Token): Reply | undefined {
  const row = findRow(rt, token);
  return row && openRow(rt, row);
}

/**
 * Stores the reply to a request. Call it in the transaction that makes the change.
 * @throws AppError signing_unavailable
 */
export function saveReply(
  rt: Runtime,
  request: IdempotentRequest,
  { status, headers, body, endsAt }: Reply,
): void {
  assertMasterKey(rt);
  const hmacKey = rt.random(32).toString("base64");
  const text = body === null ? null : body.toString();
  const reply: Sealed = { hmacKey, status, headers, body: text };
  const { keyId, token } = request;
  rt.store.idempotency.replace({
    keyId,
    token,
    requestHmac: hmacOf(hmacKey, request),
    sealed: rt.secrets.encrypt(JSON.stringify(reply), rowIdOf(request)),
    createdAt: rt.now(),
    endsAt: endsAt ?? null,
  });
}

const hmacOf = (hmacKey: string, { request }: IdempotentRequest): Buffer =>
  createHmac("sha256", Buffer.from(hmacKey, "base64")).update(request).digest();

export const pruneReplies = (rt: Runtime): void =>
  rt.store.idempotency.deleteUntil(rt.now() - REPLAYABLE_MS, rt.now());

/** Returns the encrypted replies in the form that `SecretBox` decrypts. */
export const listSealedReplies = (rt: Runtime): { id: string; sealed: Buffer }[] =>
  rt.store.idempotency.list().map((row) => ({ id: rowIdOf(row), sealed: row.sealed }));

/** Encrypts the replies with the newest master key. Replies that no key decrypts are deleted. */
export function reencryptReplies(rt: Runtime): void {
  for (const row of rt.store.idempotency.list()) {
    const plain = tryDecrypt(rt, row);
    if (plain === undefined) rt.store.idempotency.delete(row);
    else rt.store.idempotency.replace({ ...row, sealed: rt.secrets.encrypt(plain, rowIdOf(row)) });
  }
}

/**
 * Finds the stored replies with customer references of visits. Many replies take long to decrypt, so
 * call it before the transaction.
 * @returns a function to call in the transaction, which sets the references to null. The replies can
 *   still be repeated.
 */
export function findInReplies(rt: Runtime, visitIds: readonly string[]): () => void {
  const { idempotency } = rt.store;
  const visits = new Set(visitIds);
  const read = new Map(
    idempotency.list().map((row) => {
      const erased = sealWithoutReference(rt, row, visits);
      return [rowIdOf(row), { sealed: row.sealed, erased }];
    }),
  );
  return () => {
    for (const row of idempotency.list()) {
      const known = read.get(rowIdOf(row));
      // A row can have changed since the first reading, even if its creation time is earlier: its
      // transaction may have committed later, or a key rotation may have encrypted the row again.
      const isSame = known?.sealed.equals(row.sealed) === true;
      const erased = isSame ? known.erased : sealWithoutReference(rt, row, visits);
      if (erased !== undefined) idempotency.replace({ ...row, sealed: erased });
    }
  };
}

/** Returns a reply encrypted without the customer reference of a visit; undefined if it has none. */
function sealWithoutReference(
  rt: Runtime,
  row: IdempotencyRow,
  visitIds: ReadonlySet<string>,
): Buffer | undefined {
  // A reply that no key decrypts cannot be repeated, so it is left unchanged.
  const plain = tryDecrypt(rt, row);
  const reply = plain === undefined ? undefined : (JSON.parse(plain) as Sealed);
  // The reply to a form of the booking page is the token of a link, not JSON.
  if (reply?.body?.startsWith("{") !== true) return undefined;
  const body = JSON.parse(reply.body) as { data?: { id?: string; customerRef?: string | null } };
  const { data } = body;
  if (data?.id === undefined || !visitIds.has(data.id) || !data.customerRef) return undefined;
  data.customerRef = null;
  const text = JSON.stringify(body);
  const headers = withLength(reply.headers, Buffer.byteLength(text));
  const erased: Sealed = { ...reply, headers, body: text };
  return rt.secrets.encrypt(JSON.stringify(erased), rowIdOf(row));
}

/** Returns the headers, which are names and values in turn, with the length of another body. */
const withLength = (headers: string[], length: number): string[] =>
  headers.map((value, i) => (headers[i - 1] === "content-length" ? String(length) : value));

function tryDecrypt(rt: Runtime, row: IdempotencyRow): string | undefined {
  try {
    return rt.secrets.decrypt(row.sealed, rowIdOf(row));
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
