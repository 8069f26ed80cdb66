import { hash } from "node:crypto";
import { createCommitDetector } from "../../app/commit-detector.ts";
import type { Runtime } from "../../app/runtime.ts";
import { mayRepeat } from "../../app/self-rotation.ts";
import { hashApiKey, isWellFormed } from "../../domain/api-key.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { AppError } from "../../domain/errors.ts";
import type { Credential, PartnerCredential } from "../../store/keys.ts";
import { getHeader, type RequestContext } from "../pipeline/request-context.ts";
import {
  createRateLimitPolicy,
  PER_HOUR,
  PER_MINUTE,
  type RateLimitPolicy,
} from "./rate-limiter.ts";

// This file finds the API key in a request's Authorization header. access-control.ts decides what
// the key may do.

/** An API key at one business, with its rate limit. */
export type KnownKey = {
  key: Credential;
  policy: RateLimitPolicy;
  /**
   * The partner whose key is used at the business of `key`; null if the key is for one business
   * only.
   */
  partner: KnownPartner | null;
};

/**
 * The key of a partner with several businesses. `policy` limits its requests to all of them
 * together.
 */
export type KnownPartner = {
  key: PartnerCredential;
  policy: RateLimitPolicy;
  /**
   * The partner's key at each business where it was used. `key` is null for a business that the
   * partner does not reach.
   */
  atBusiness: BoundedCache<string, KnownKey | { key: null }>;
};

const MAX_KNOWN_KEYS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;

/**
 * Finds the key of a request.
 * @param isRotation whether the request rotates its key. A secret that ended by a rotation may
 *   repeat that rotation for a while
 * @throws AppError missing_key, invalid_key, revoked_key, expired_key
 */
type FindKey = (context: RequestContext, isRotation?: boolean) => KnownKey | KnownPartner;

export const isPartner = (known: KnownKey | KnownPartner): known is KnownPartner =>
  known.key.businessId === null;

/** Returns a partner's key at a business; undefined if the partner does not reach it. */
export function findAtBusiness(
  rt: Runtime,
  partner: KnownPartner,
  slug: string,
): KnownKey | undefined {
  let known = partner.atBusiness.get(slug);
  if (known === undefined) {
    const key = rt.store.partnerAccess.findAtBusiness(partner.key, slug);
    known = key
      ? { key, policy: createKeyPolicy(key.limitMinute, key.limitHour), partner }
      : { key: null };
    partner.atBusiness.set(slug, known);
  }
  return known.key === null ? undefined : known;
}

/** Returns a function that finds the key of a request, and throws if it is missing or has ended. */
export function createKeyFinder(rt: Runtime): FindKey {
  const hasNewCommit = createCommitDetector(rt);
  const createKnownKeys = () => new BoundedCache<string, KnownKey | KnownPartner>(MAX_KNOWN_KEYS);
  // The cache maps the hash of an Authorization header to its key, so that no secret stays in
  // memory. Any commit clears the cache.
  let knownKeys = createKnownKeys();
  // The last header of each connection is kept, so that it need not be hashed for each request. The
  // header stays in memory only as long as the connection.
  let lastByConnection = new WeakMap<
    object,
    { authorization: string; known: KnownKey | KnownPartner }
  >();

  const findKey = (authorization: string): KnownKey | KnownPartner => {
    const headerHash = hash("sha256", authorization, "latin1");
    const known = knownKeys.get(headerHash);
    if (known) return known;
    const stored = lookUpKey(rt, authorization);
    knownKeys.set(headerHash, stored);
    return stored;
  };

  return ({ request, now }, isRotation = false) => {
    if (hasNewCommit()) {
      knownKeys = createKnownKeys();
      lastByConnection = new WeakMap();
    }
    const authorization = getHeader(request, "authorization");
    if (authorization === undefined)
      throw new AppError(
        "missing_key",
        "An API key is required: send Authorization: Bearer <API_KEY>.",
      );
    let last = lastByConnection.get(request.connection);
    if (last?.authorization !== authorization) {
      last = { authorization, known: findKey(authorization) };
      lastByConnection.set(request.connection, last);
    }
    assertUsable(last.known.key, now, isRotation);
    return last.known;
  };
}

/**
 * Returns the key of a request that has waited. The key is read again, because it may have changed,
 * expired or been revoked.
 */
export function findKeyAgain(rt: Runtime, request: RequestContext["request"]): Credential {
  const keyHash = hashOf(request);
  const key = rt.store.keys.findCredential(keyHash) ?? findPartnerAtBusiness(rt, request, keyHash);
  // A key that is missing now was deleted with its business, which may have been created again.
  if (!key) throw new AppError("revoked_key", "This key has been revoked.");
  assertUsable(key, rt.now());
  return key;
}

/** Returns the key of a partner whose request has waited. */
export function findPartnerAgain(
  rt: Runtime,
  request: RequestContext["request"],
): PartnerCredential {
  const key = rt.store.partnerAccess.findCredential(hashOf(request));
  if (!key) throw new AppError("revoked_key", "This key has been revoked.");
  assertUsable(key, rt.now());
  return key;
}

const hashOf = (request: RequestContext["request"]): Buffer =>
  hashApiKey(BEARER.exec(getHeader(request, "authorization") ?? "")?.[1] ?? "");

function findPartnerAtBusiness(
  rt: Runtime,
  { params }: RequestContext["request"],
  keyHash: Buffer,
): Credential | undefined {
  const partner = rt.store.partnerAccess.findCredential(keyHash);
  if (partner) assertUsable(partner, rt.now());
  return partner && rt.store.partnerAccess.findAtBusiness(partner, params["slug"] ?? "");
}

function lookUpKey(rt: Runtime, authorization: string): KnownKey | KnownPartner {
  const secret = BEARER.exec(authorization)?.[1];
  if (secret === undefined)
    throw new AppError("invalid_key", "Invalid Authorization header: expected Bearer <API_KEY>.");
  if (!isWellFormed(secret))
    throw new AppError(
      "invalid_key",
      "Invalid API key: its checksum does not match. Check for a missing or changed character.",
    );
  const keyHash = hashApiKey(secret);
  const key =
    rt.store.keys.findCredential(keyHash) ?? rt.store.partnerAccess.findCredential(keyHash);
  if (!key) throw new AppError("invalid_key", "Unknown API key.");
  if (key.businessId === null) return createKnownPartner(key);
  return { key, policy: createKeyPolicy(key.limitMinute, key.limitHour), partner: null };
}

const createKnownPartner = (key: PartnerCredential): KnownPartner => ({
  key,
  policy: createRateLimitPolicy(
    { window: { ...PER_MINUTE, name: "total-per-minute" }, quota: key.limitMinute },
    { window: { ...PER_HOUR, name: "total-per-hour" }, quota: key.limitHour },
  ),
  atBusiness: new BoundedCache(MAX_KNOWN_KEYS),
});

/**
 * Asserts that a key and its secret have not ended. A secret that a rotation has ended is accepted
 * for a while if the request repeats that rotation (`isRotation`).
 * @throws AppError revoked_key, expired_key
 */
function assertUsable(key: Credential | PartnerCredential, now: number, isRotation = false): void {
  if (key.revokedAt !== null) throw new AppError("revoked_key", "This key has been revoked.");
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new AppError("expired_key", "This key has expired.");
  if (key.secretExpiresAt === null || key.secretExpiresAt > now) return;
  if (isRotation && mayRepeat(key, now)) return;
  // If `secretRepeatsUntil` is set, this secret was itself used to rotate the key. The error then
  // warns its holder, because somebody else may have done that.
  const theftAdvice =
    key.secretRepeatsUntil === null
      ? ""
      : " If you did not rotate the key, tell the business at once: it is stolen.";
  throw new AppError(
    "expired_key",
    `This key was rotated and its old secret has expired: use the new secret.${theftAdvice}`,
  );
}

export function createKeyPolicy(minuteQuota: number, hourQuota: number): RateLimitPolicy {
  return createRateLimitPolicy(
    { window: PER_MINUTE, quota: minuteQuota },
    { window: PER_HOUR, quota: hourQuota },
  );
}
