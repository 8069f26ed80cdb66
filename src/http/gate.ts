import { type KeyUse } from "../app/keys.ts";
import { DEFAULT_LIMITS, grants, hashApiKey, isAllowedFrom, isWellFormed, type Scope } from "../domain/api-key.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Credential } from "../store/keys.ts";
import { addressGroup, type Call, clientAddress, header } from "./call.ts";
import { createFreshness } from "./freshness.ts";
import {
  createLimiter,
  createPolicy,
  PER_HOUR,
  PER_MINUTE,
  type Policy,
  retryAfterSeconds,
  standingHeader,
  type Verdict,
  violated,
} from "./rate-limit.ts";

type Known = { key: Credential; policy: Policy };

/** Lets a request in, or says why not. */
export type Gate = {
  /** @throws AppError in the order key, slug, scope, limit */
  admit: (call: Call, slug: string, scope: Scope) => Credential;
  /** For routes without a key. @throws RateLimited */
  admitAnybody: (call: Call) => void;
};

/** Its own class, because it alone has more to say than a code and a sentence. */
export class RateLimited extends AppError {
  readonly violatedPolicies: string[];
  readonly retryAfterSeconds: number;

  constructor({ standings }: Verdict) {
    const seconds = retryAfterSeconds(standings);
    super("rate_limited", `Too many requests: try again in ${seconds} s.`);
    this.violatedPolicies = violated(standings).map(({ name }) => name);
    this.retryAfterSeconds = seconds;
  }
}

const PUBLIC_POLICY = policyOf(DEFAULT_LIMITS.minute, DEFAULT_LIMITS.hour);
const FAILURE_POLICY = createPolicy({ window: PER_MINUTE, quota: 60 });
const MAX_KNOWN_KEYS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;

export function createGate(rt: Runtime, keyUse: KeyUse): Gate {
  const keyLimiter = createLimiter(rt);
  const addressLimiter = createLimiter(rt);
  const failureLimiter = createLimiter(rt);
  const freshness = createFreshness(rt);
  const warnOnce = createWarnOnce(rt);
  // By the whole header, so that a known key costs one look-up and no hashing. Empty again after each commit.
  const known = new Map<string, Known>();

  const authenticate = (authorization: string | undefined): Known => {
    if (freshness.hasChanged()) known.clear();
    const seen = authorization === undefined ? undefined : known.get(authorization);
    if (seen) {
      checkAlive(seen.key, rt.now());
      return seen;
    }
    const key = lookUp(rt, authorization);
    checkAlive(key, rt.now());
    const found = { key, policy: policyOf(key.limitMinute, key.limitHour) };
    if (known.size >= MAX_KNOWN_KEYS) known.clear();
    known.set(authorization as string, found);
    return found;
  };

  /** A failed attempt counts for its address, never for a key. */
  const authenticateOrCount = (call: Call): Known => {
    try {
      return authenticate(header(call.event, "authorization"));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const verdict = failureLimiter.take(addressGroup(clientAddress(call.event)), FAILURE_POLICY);
      throw verdict.allowed ? error : new RateLimited(verdict);
    }
  };

  const limit = (call: Call, policy: Policy, verdict: Verdict): void => {
    call.headers.push(policy.header, standingHeader(verdict.standings));
    if (!verdict.allowed) throw new RateLimited(verdict);
  };

  return {
    admit(call, slug, scope) {
      const { key, policy } = authenticateOrCount(call);
      const refusal = refuse(key, slug, scope, call);
      if (refusal) {
        call.headers.push(policy.header, standingHeader(keyLimiter.peek(key.id, policy).standings));
        throw refusal;
      }
      limit(call, policy, keyLimiter.take(key.id, policy));
      keyUse.note(key.id);
      if (key.kind === "SECRET" && header(call.event, "origin") !== undefined)
        warnOnce(key.id, "a secret key was seen from a browser: rotate it", { key: key.id, name: key.name });
      if (header(call.event, "x-forwarded-for") !== undefined)
        warnOnce("x-forwarded-for", "X-Forwarded-For is ignored: limits and address ranges go by the socket");
      return key;
    },
    admitAnybody(call) {
      const client = addressGroup(clientAddress(call.event));
      limit(call, PUBLIC_POLICY, addressLimiter.take(client, PUBLIC_POLICY));
    },
  };
}

function lookUp(rt: Runtime, authorization: string | undefined): Credential {
  if (authorization === undefined)
    throw new AppError("missing_key", "This needs an API key: send Authorization: Bearer <API_KEY>.");
  const text = BEARER.exec(authorization)?.[1];
  if (text === undefined) throw new AppError("invalid_key", "The Authorization header must read: Bearer <API_KEY>.");
  if (!isWellFormed(text))
    throw new AppError(
      "invalid_key",
      "This cannot be a key: its checksum does not fit. Is a character missing or changed?",
    );
  const found = rt.store.keys.credential(hashApiKey(text));
  if (!found) throw new AppError("invalid_key", "There is no such key.");
  return found;
}

function checkAlive(key: Credential, now: number): void {
  if (key.revokedAt !== null) throw new AppError("revoked_key", "This key was revoked.");
  if (key.expiresAt !== null && key.expiresAt <= now) throw new AppError("expired_key", "This key has expired.");
  if (key.secretExpiresAt !== null && key.secretExpiresAt <= now)
    throw new AppError("expired_key", "This key was rotated and its overlap is over: use its newer secret.");
}

/** Decided from the key alone: a foreign slug and one that does not exist give the same bytes. */
function refuse(key: Credential, slug: string, scope: Scope, call: Call): AppError | undefined {
  if (key.cidrs.length > 0 && !isAllowedFrom(clientAddress(call.event), key.cidrs))
    return new AppError("address_not_allowed", "This key may not be used from this address.");
  if (slug !== key.businessSlug)
    return new AppError("business_mismatch", "This key belongs to another business than the one in the path.");
  if (!grants(key, scope)) return new AppError("insufficient_scope", `This key lacks the scope ${scope}.`);
  return undefined;
}

function createWarnOnce(rt: Runtime) {
  const warned = new Set<string>();
  return (about: string, message: string, fields: Record<string, string> = {}): void => {
    if (warned.has(about)) return;
    warned.add(about);
    rt.log("warn", message, fields);
  };
}

function policyOf(minute: number, hour: number): Policy {
  return createPolicy({ window: PER_MINUTE, quota: minute }, { window: PER_HOUR, quota: hour });
}
