import {
  DEFAULT_LIMITS,
  hashApiKey,
  isScope,
  type KeyKind,
  keyHints,
  generateApiKey,
  type Scope,
  SCOPES,
} from "../domain/api-key.ts";
import { isAddressRange } from "../domain/address-range.ts";
import { AppError, type ValidationIssue } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { Runtime } from "./runtime.ts";
import type { ListedKey } from "../store/keys.ts";

export type NewKey = {
  businessId: string;
  name: string;
  kind: KeyKind;
  /** For a restricted key; a secret key has all of them. */
  scopes: string[];
  expiresAt?: number | null | undefined;
  cidrs?: string[] | undefined;
  limitMinute?: number | undefined;
  limitHour?: number | undefined;
};

/** A key with its text, which is nowhere to be had afterwards. */
export type CreatedKey = { key: ListedKey; secret: string };

const DAY_MS = 86_400_000;
export const DEFAULT_OVERLAP_MS = DAY_MS;
const MAX_OVERLAP_MS = 7 * DAY_MS;
const MAX_NAME_LENGTH = 100;

/** @throws AppError invalid_input with every mistake, business_not_found */
export function createKey(rt: Runtime, input: NewKey): CreatedKey {
  const mistakes = findMistakes(input, rt.now());
  if (mistakes.length > 0)
    throw new AppError("invalid_input", mistakes.map(({ detail }) => detail).join(" "), {
      issues: mistakes,
    });
  return rt.tx(() => {
    if (!rt.store.businesses.findById(input.businessId))
      throw new AppError("business_not_found", `There is no business ${input.businessId}.`);
    const id = rt.newId("key");
    rt.store.keys.insert({
      id,
      businessId: input.businessId,
      kind: input.kind,
      name: input.name.trim(),
      scopes: input.kind === "SECRET" ? [...SCOPES] : ([...new Set(input.scopes)] as Scope[]),
      cidrs: input.cidrs ?? [],
      limitMinute: input.limitMinute ?? DEFAULT_LIMITS.minute,
      limitHour: input.limitHour ?? DEFAULT_LIMITS.hour,
      createdAt: rt.now(),
      lastUsedAt: null,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
    });
    return mintSecret(rt, id, input.kind, rt.now());
  });
}

/**
 * A new secret under the same key: its id, scopes, limits and counters stay. The old secret lives on for the overlap.
 * @throws AppError resource_not_found, invalid_input, conflict for a key that opens nothing any more
 */
export function rotateKey(
  rt: Runtime,
  keyId: string,
  overlapMs: number = DEFAULT_OVERLAP_MS,
): CreatedKey {
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS)
    throw new AppError("invalid_input", "The old secret may live on for 0 to 7 days.");
  return rt.tx(() => {
    const key = getKey(rt, keyId);
    const fix = "create a new key";
    if (key.revokedAt !== null) throw new AppError("conflict", `${keyId} is revoked.`, { fix });
    if (key.expiresAt !== null && key.expiresAt <= rt.now())
      throw new AppError("conflict", `${keyId} has expired.`, { fix });
    return mintSecret(rt, keyId, key.kind, rt.now() + overlapMs);
  });
}

/** Shuts a key for good, all of its secrets at once. Revoking it again changes nothing. */
export function revokeKey(rt: Runtime, keyId: string): ListedKey {
  return rt.tx(() => {
    getKey(rt, keyId);
    rt.store.keys.revoke(keyId, rt.now());
    return getKey(rt, keyId);
  });
}

export const listKeys = (rt: Runtime, businessId?: string): ListedKey[] =>
  rt.store.keys.list(businessId);

/** When each key was last used: noted in memory by every request, written by whoever calls `flush` every few seconds. */
export type KeyUsage = {
  record: (keyId: string, at: number) => void;
  /** A web page has sent it, which a secret key must never be in. */
  recordBrowser: (keyId: string, at: number) => void;
  flush: () => void;
};

export function createKeyUsage(rt: Runtime): KeyUsage {
  const usedAt = new Map<string, number>();
  const seenInBrowserAt = new Map<string, number>();
  return {
    record: (keyId, at) => void usedAt.set(keyId, at),
    recordBrowser: (keyId, at) => void seenInBrowserAt.set(keyId, at),
    flush() {
      if (usedAt.size === 0) return;
      rt.tx(() => {
        for (const [keyId, at] of usedAt) rt.store.keys.markUsed(keyId, at);
        for (const [keyId, at] of seenInBrowserAt) rt.store.keys.markSeenInBrowser(keyId, at);
      });
      usedAt.clear();
      seenInBrowserAt.clear();
    },
  };
}

function getKey(rt: Runtime, keyId: string): ListedKey {
  const key = rt.store.keys.findById(keyId);
  if (key) return key;
  throw new AppError("resource_not_found", `There is no key ${keyId}.`, {
    fix: "deskbell keys list",
  });
}

function mintSecret(rt: Runtime, keyId: string, kind: KeyKind, previousEndsAt: number): CreatedKey {
  const secret = generateApiKey(kind, rt.random);
  rt.store.keys.replaceSecret(
    {
      hash: hashApiKey(secret),
      keyId,
      ...keyHints(kind, secret),
      createdAt: rt.now(),
      expiresAt: null,
    },
    previousEndsAt,
  );
  return { key: getKey(rt, keyId), secret };
}

function findMistakes(input: NewKey, now: number): ValidationIssue[] {
  const mistakes: ValidationIssue[] = [];
  const say = (code: string, detail: string) => void mistakes.push({ code, detail });
  const nameLength = input.name.trim().length;
  if (nameLength === 0 || nameLength > MAX_NAME_LENGTH)
    say("invalid_name", `A key's name has 1 to ${MAX_NAME_LENGTH} characters.`);
  if (input.kind === "RESTRICTED" && input.scopes.length === 0)
    say("missing_scope", `A restricted key needs a scope: ${SCOPES.join(", ")}.`);
  for (const scope of input.scopes)
    if (!isScope(scope))
      say(
        "unknown_scope",
        `There is no scope '${scope}'.${didYouMean(scope, SCOPES) || ` Known: ${SCOPES.join(", ")}.`}`,
      );
  for (const cidr of input.cidrs ?? [])
    if (!isAddressRange(cidr))
      say("invalid_cidr", `'${cidr}' is no address range; write it like 203.0.113.0/24.`);
  for (const limit of [input.limitMinute, input.limitHour])
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
      say("invalid_limit", `A limit is a whole number of requests, at least 1, not ${limit}.`);
  if (typeof input.expiresAt === "number" && input.expiresAt <= now)
    say("invalid_expiry", "A key cannot expire in the past.");
  return mistakes;
}
