import { hash } from "node:crypto";
import type { KeyUsage } from "../../app/keys.ts";
import { isWithin } from "../../domain/address-range.ts";
import {
  DEFAULT_LIMITS,
  grants,
  hashApiKey,
  isWellFormed,
  type Scope,
} from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Credential } from "../../store/keys.ts";
import { type RequestContext, getHeader } from "../pipeline/request-context.ts";
import { addressGroup, type GetClientAddress } from "./client-address.ts";
import { createCommitDetector } from "./commit-detector.ts";
import type { RateLimits } from "./rate-limits.ts";
import {
  createRateLimitPolicy,
  PER_HOUR,
  PER_MINUTE,
  type RateLimitPolicy,
  retryAfterSeconds,
  rateLimitHeader,
  type RateLimitResult,
  exhaustedWindows,
} from "./rate-limiter.ts";

type Known = { key: Credential; policy: RateLimitPolicy };

/** Lets a request in, or says why not. */
export type AccessControl = {
  /** @throws AppError in the order key, slug, scope, limit */
  authorize: (call: RequestContext, slug: string, scope: Scope) => Credential;
  /** On a public route, which has counted the request: whose key is this? @throws AppError in the order key, slug, scope */
  authenticate: (call: RequestContext, slug: string, scope: Scope) => void;
  /** For routes without a key. @throws RateLimited */
  limitByAddress: (call: RequestContext) => void;
};

/** Its own class, because it alone has more to say than a code and a sentence. */
export class RateLimitError extends AppError {
  readonly violatedPolicies: string[];
  readonly retryAfterSeconds: number;

  constructor({ windowStates }: RateLimitResult) {
    const seconds = retryAfterSeconds(windowStates);
    super("rate_limited", `Too many requests: try again in ${seconds} s.`);
    this.violatedPolicies = exhaustedWindows(windowStates).map(({ name }) => name);
    this.retryAfterSeconds = seconds;
  }
}

const PUBLIC_POLICY = policyOf(DEFAULT_LIMITS.minute, DEFAULT_LIMITS.hour);
const FAILURE_POLICY = createRateLimitPolicy({ window: PER_MINUTE, quota: 60 });
const MAX_KNOWN_KEYS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;

export function createAccessControl(
  rt: Runtime,
  keyUse: KeyUsage,
  limits: RateLimits,
  clientAddress: GetClientAddress,
): AccessControl {
  const freshness = createCommitDetector(rt);
  const warnOnce = createWarnOnce(rt);
  const ignoresForwarding = rt.config.http.trustedProxies.length === 0;
  // By the hash of the whole header, so that no key's text is kept. Empty again after each commit.
  let known = new Map<string, Known>();
  // A connection sends the same header again and again. Its text is kept as long as the connection, to save the hashing.
  let sentOn = new WeakMap<object, { authorization: string; found: Known }>();

  const recall = (authorization: string): Known | undefined =>
    known.get(hash("sha256", authorization, "latin1"));

  const find = (authorization: string): Known => {
    const key = lookUp(rt, authorization);
    const found = { key, policy: policyOf(key.limitMinute, key.limitHour) };
    if (known.size >= MAX_KNOWN_KEYS) known.clear();
    known.set(hash("sha256", authorization, "latin1"), found);
    return found;
  };

  const authenticate = ({ request: asked, now }: RequestContext): Known => {
    if (freshness.hasChanged()) {
      known = new Map();
      sentOn = new WeakMap();
    }
    const authorization = getHeader(asked, "authorization");
    if (authorization === undefined)
      throw new AppError(
        "missing_key",
        "This needs an API key: send Authorization: Bearer <API_KEY>.",
      );
    let sent = sentOn.get(asked.connection);
    if (sent?.authorization !== authorization) {
      sent = { authorization, found: recall(authorization) ?? find(authorization) };
      sentOn.set(asked.connection, sent);
    }
    checkAlive(sent.found.key, now);
    return sent.found;
  };

  /** A failed attempt counts for its address, never for a key. */
  const authenticateOrCount = (call: RequestContext): Known => {
    try {
      return authenticate(call);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const verdict = limits.failures.take(
        addressGroup(clientAddress(call.request)),
        FAILURE_POLICY,
        call.startedAt,
      );
      throw verdict.allowed ? error : new RateLimitError(verdict);
    }
  };

  const limit = (call: RequestContext, policy: RateLimitPolicy, verdict: RateLimitResult): void => {
    call.responseHeaders.push(
      "ratelimit-policy",
      policy.header,
      "ratelimit",
      rateLimitHeader(verdict.windowStates),
    );
    if (!verdict.allowed) throw new RateLimitError(verdict);
  };

  const noteUse = (call: RequestContext, key: Credential): void => {
    keyUse.record(key.id, call.now);
    if (key.kind !== "SECRET" || getHeader(call.request, "origin") === undefined) return;
    keyUse.recordBrowser(key.id, call.now);
    warnOnce(key.id, "a secret key was seen from a browser: rotate it", {
      key: key.id,
      name: key.name,
    });
  };

  return {
    authorize(call, slug, scope) {
      const { key, policy } = authenticateOrCount(call);
      call.keyId = key.id;
      const refusal = refuse(key, slug, scope, () => clientAddress(call.request));
      if (refusal) {
        call.responseHeaders.push(
          "ratelimit-policy",
          policy.header,
          "ratelimit",
          rateLimitHeader(limits.keys.peek(key.id, policy, call.startedAt).windowStates),
        );
        throw refusal;
      }
      limit(call, policy, limits.keys.take(key.id, policy, call.startedAt));
      noteUse(call, key);
      if (ignoresForwarding && getHeader(call.request, "x-forwarded-for") !== undefined)
        warnOnce(
          "x-forwarded-for",
          "X-Forwarded-For is ignored, because no --trusted-proxy is named",
        );
      return key;
    },
    authenticate(call, slug, scope) {
      const { key } = authenticateOrCount(call);
      call.keyId = key.id;
      const refusal = refuse(key, slug, scope, () => clientAddress(call.request));
      if (refusal) throw refusal;
      noteUse(call, key);
    },
    limitByAddress(call) {
      const client = addressGroup(clientAddress(call.request));
      limit(call, PUBLIC_POLICY, limits.addresses.take(client, PUBLIC_POLICY, call.startedAt));
    },
  };
}

function lookUp(rt: Runtime, authorization: string): Credential {
  const text = BEARER.exec(authorization)?.[1];
  if (text === undefined)
    throw new AppError("invalid_key", "The Authorization header must read: Bearer <API_KEY>.");
  if (!isWellFormed(text))
    throw new AppError(
      "invalid_key",
      "This cannot be a key: its checksum does not fit. Is a character missing or changed?",
    );
  const found = rt.store.keys.findCredential(hashApiKey(text));
  if (!found) throw new AppError("invalid_key", "There is no such key.");
  return found;
}

function checkAlive(key: Credential, now: number): void {
  if (key.revokedAt !== null) throw new AppError("revoked_key", "This key was revoked.");
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new AppError("expired_key", "This key has expired.");
  if (key.secretExpiresAt !== null && key.secretExpiresAt <= now)
    throw new AppError(
      "expired_key",
      "This key was rotated and its overlap is over: use its newer secret.",
    );
}

/** Decided from the key alone: a foreign slug and one that does not exist give the same bytes. */
function refuse(
  key: Credential,
  slug: string,
  scope: Scope,
  address: () => string,
): AppError | undefined {
  if (key.cidrs.length > 0 && !isWithin(address(), key.cidrs))
    return new AppError("address_not_allowed", `This key may not be used from ${address()}.`);
  if (slug !== key.businessSlug)
    return new AppError(
      "business_mismatch",
      `This key is for /businesses/${key.businessSlug}, not for the business in the path.`,
    );
  if (!grants(key, scope))
    return new AppError("insufficient_scope", `This key lacks the scope ${scope}.`);
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

function policyOf(minute: number, hour: number): RateLimitPolicy {
  return createRateLimitPolicy(
    { window: PER_MINUTE, quota: minute },
    { window: PER_HOUR, quota: hour },
  );
}
