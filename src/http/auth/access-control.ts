import type { KeyUsage } from "../../app/keys.ts";
import type { Runtime } from "../../app/runtime.ts";
import { isWithin } from "../../domain/address-range.ts";
import { DEFAULT_LIMITS, grants, type Scope } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { Credential } from "../../store/keys.ts";
import { getHeader, type RequestContext } from "../pipeline/request-context.ts";
import {
  addressGroup,
  addressNetwork,
  type GetClientAddress,
  type RequestClient,
} from "./client-address.ts";
import { createKeyFinder, createKeyPolicy, findKeyAgain, type KnownKey } from "./known-keys.ts";
import {
  createRateLimitPolicy,
  exhaustedWindows,
  PER_HOUR,
  PER_MINUTE,
  rateLimitHeader,
  type RateLimiter,
  type RateLimitPolicy,
  type RateLimitResult,
  retryAfterSeconds,
} from "./rate-limiter.ts";
import type { RateLimits } from "./rate-limits.ts";

export type AccessControl = {
  /**
   * Authorizes a request to a route that needs a key. Checks the key, slug, scope and rate limit,
   * in this order.
   */
  authorize: (context: RequestContext, slug: string, scope: Scope | readonly Scope[]) => Credential;
  /** Checks the key that a parameter of a public route needs, without a rate limit. */
  authenticate: (context: RequestContext, slug: string, scope: Scope) => Credential;
  /**
   * Checks the key of a request that has waited: it may have expired, or been changed or revoked.
   */
  authenticateAgain: (context: RequestContext) => Credential;
  /**
   * Limits a request to a route of a business that needs no key: by a valid key of it, else by the
   * address.
   */
  limitPublic: (context: RequestContext, slug: string) => void;
  /** Limits a request to a route without a business. */
  limitOpen: (context: RequestContext) => void;
  /** The client that the work of a request counts for. */
  getClient: (context: RequestContext) => RequestClient;
};

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

const PUBLIC_POLICY = createKeyPolicy(DEFAULT_LIMITS.minute, DEFAULT_LIMITS.hour);
/** Several health checks per second, or an office whose computers share one address. */
const OPEN_POLICY = createRateLimitPolicy({ window: PER_MINUTE, quota: 600 });
const FAILURE_POLICY = createRateLimitPolicy({ window: PER_MINUTE, quota: 60 });
/** An IPv6 /48 gets the quota of ten /64s: several households or offices can share one. */
const NETWORK_FACTOR = 10;
const NETWORK_POLICY = createRateLimitPolicy(
  {
    window: { ...PER_MINUTE, name: "network-per-minute" },
    quota: NETWORK_FACTOR * DEFAULT_LIMITS.minute,
  },
  {
    window: { ...PER_HOUR, name: "network-per-hour" },
    quota: NETWORK_FACTOR * DEFAULT_LIMITS.hour,
  },
);

export function createAccessControl(
  rt: Runtime,
  keyUsage: KeyUsage,
  limits: RateLimits,
  getClientAddress: GetClientAddress,
): AccessControl {
  const getKey = createKeyFinder(rt);
  const warnOnce = createWarnOnce(rt);
  const ignoresForwardedFor = rt.config.http.trustedProxies.length === 0;

  /** Counts a request against its address and, in IPv6, against the network of the address. */
  const takeByAddress = (
    addresses: RateLimiter,
    networks: RateLimiter,
    policy: RateLimitPolicy,
    { request, startedAt }: RequestContext,
  ): { policy: RateLimitPolicy; result: RateLimitResult } => {
    const address = getClientAddress(request);
    const network = addressNetwork(address);
    if (network !== undefined) {
      // Before the address, so that an exhausted network cannot add addresses to the limiter.
      const result = networks.peek(network, NETWORK_POLICY, startedAt);
      if (!result.allowed) return { policy: NETWORK_POLICY, result };
    }
    const result = addresses.take(addressGroup(address), policy, startedAt);
    if (network !== undefined && result.allowed) networks.take(network, NETWORK_POLICY, startedAt);
    return { policy, result };
  };

  /** A failed attempt counts against the client's address, never against a key. */
  const getKeyOrCountFailure = (context: RequestContext): KnownKey => {
    try {
      return getKey(context);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { result } = takeByAddress(limits.failures, limits.failures, FAILURE_POLICY, context);
      throw result.allowed ? error : new RateLimitError(result);
    }
  };

  const addRateLimitHeaders = (
    context: RequestContext,
    policy: RateLimitPolicy,
    { windowStates }: RateLimitResult,
  ): void =>
    void context.responseHeaders.push(
      "ratelimit-policy",
      policy.header,
      "ratelimit",
      rateLimitHeader(windowStates),
    );

  const applyLimit = (
    context: RequestContext,
    policy: RateLimitPolicy,
    result: RateLimitResult,
  ): void => {
    addRateLimitHeaders(context, policy, result);
    if (!result.allowed) throw new RateLimitError(result);
  };

  const recordUsage = (context: RequestContext, key: Credential): void => {
    keyUsage.record(key.id, context.now);
    if (key.kind !== "SECRET" || getHeader(context.request, "origin") === undefined) return;
    keyUsage.recordBrowser(key.id, context.now);
    warnOnce(key.id, "a browser sent a secret key: rotate the key", {
      key: key.id,
      name: key.name,
    });
  };

  const limitByKey = (context: RequestContext, { key, policy }: KnownKey): void => {
    context.keyId = key.id;
    applyLimit(context, policy, limits.keys.take(key.id, policy, context.startedAt));
    recordUsage(context, key);
  };

  /**
   * Returns why a key does not give access. A key needs one of several scopes; null is not checked.
   * Decides from the key alone, so that the response does not reveal whether another business
   * exists.
   */
  const findAccessError = (
    { request }: RequestContext,
    key: Credential,
    slug: string,
    scope: Scope | readonly Scope[] | null,
  ): AppError | undefined => {
    if (key.cidrs.length > 0) {
      const address = getClientAddress(request);
      if (!isWithin(address, key.cidrs))
        return new AppError("address_not_allowed", `This key may not be used from ${address}.`);
    }
    if (slug !== key.businessSlug)
      return new AppError(
        "business_mismatch",
        `This key is for /businesses/${key.businessSlug}, not for the business in the path.`,
      );
    if (scope === null || hasOneOf(key, scope)) return undefined;
    return new AppError(
      "insufficient_scope",
      `This key does not have the scope ${[scope].flat().join(" or ")}.`,
    );
  };

  /** Returns undefined without a valid key of the business, which a public route does not need. */
  const findKeyOf = (context: RequestContext, slug: string): KnownKey | undefined => {
    if (getHeader(context.request, "authorization") === undefined) return undefined;
    try {
      const known = getKey(context);
      return findAccessError(context, known.key, slug, null) ? undefined : known;
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };

  return {
    authorize(context, slug, scope) {
      const { key, policy } = getKeyOrCountFailure(context);
      context.keyId = key.id;
      const error = findAccessError(context, key, slug, scope);
      if (error) {
        addRateLimitHeaders(context, policy, limits.keys.peek(key.id, policy, context.startedAt));
        throw error;
      }
      limitByKey(context, { key, policy });
      if (ignoresForwardedFor && getHeader(context.request, "x-forwarded-for") !== undefined)
        warnOnce("x-forwarded-for", "Ignoring X-Forwarded-For: set --trusted-proxy");
      return key;
    },
    authenticate(context, slug, scope) {
      const { key } = getKeyOrCountFailure(context);
      context.keyId = key.id;
      const error = findAccessError(context, key, slug, scope);
      if (error) throw error;
      return key;
    },
    authenticateAgain: ({ request }) => findKeyAgain(rt, request),
    limitPublic(context, slug) {
      const known = findKeyOf(context, slug);
      if (known) return limitByKey(context, known);
      const { addresses, networks } = limits;
      const { policy, result } = takeByAddress(addresses, networks, PUBLIC_POLICY, context);
      applyLimit(context, policy, result);
    },
    limitOpen(context) {
      const { open } = limits;
      const { policy, result } = takeByAddress(open, open, OPEN_POLICY, context);
      applyLimit(context, policy, result);
    },
    getClient({ keyId, request }) {
      if (keyId !== null) return { id: keyId, network: undefined, isKey: true };
      const address = getClientAddress(request);
      return { id: addressGroup(address), network: addressNetwork(address), isKey: false };
    },
  };
}

/** Creates no array, because every request passes here. */
const hasOneOf = (key: Credential, scope: Scope | readonly Scope[]): boolean =>
  typeof scope === "string" ? grants(key, scope) : scope.some((one) => grants(key, one));

function createWarnOnce(rt: Runtime) {
  const warned = new Set<string>();
  return (id: string, message: string, fields: Record<string, string> = {}): void => {
    if (warned.has(id)) return;
    warned.add(id);
    rt.log("warn", message, fields);
  };
}
