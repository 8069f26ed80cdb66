import { DEFAULT_LIMITS } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import { addressGroup, addressNetwork, type GetClientAddress } from "./client-address.ts";
import { createKeyPolicy, type KnownKey } from "./known-keys.ts";
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

type Taken = { policy: RateLimitPolicy; result: RateLimitResult };

/** Counts each request against its key or its address, and tells the client what remains. */
export class RequestLimits {
  readonly #limits: RateLimits;
  readonly #getClientAddress: GetClientAddress;

  constructor(limits: RateLimits, getClientAddress: GetClientAddress) {
    this.#limits = limits;
    this.#getClientAddress = getClientAddress;
  }

  /** Counts a request with a key. @throws RateLimitError */
  takeKey(context: RequestContext, { key, policy }: KnownKey): void {
    applyLimit(context, policy, this.#limits.keys.take(key.id, policy, context.startedAt));
  }

  /** Adds the headers without counting the request. */
  showKey(context: RequestContext, { key, policy }: KnownKey): void {
    const result = this.#limits.keys.peek(key.id, policy, context.startedAt);
    addRateLimitHeaders(context, policy, result);
  }

  /** Counts a request without a key to the public routes of a business. @throws RateLimitError */
  takePublic(context: RequestContext): void {
    const { addresses, networks } = this.#limits;
    const { policy, result } = this.#takeByAddress(addresses, networks, PUBLIC_POLICY, context);
    applyLimit(context, policy, result);
  }

  /** Counts a request to a route without a business. @throws RateLimitError */
  takeOpen(context: RequestContext): void {
    const { open } = this.#limits;
    const { policy, result } = this.#takeByAddress(open, open, OPEN_POLICY, context);
    applyLimit(context, policy, result);
  }

  /** Counts a failed authentication. @throws RateLimitError */
  takeFailure(context: RequestContext): void {
    const { failures } = this.#limits;
    const { result } = this.#takeByAddress(failures, failures, FAILURE_POLICY, context);
    if (!result.allowed) throw new RateLimitError(result);
  }

  /** Counts a request against its address and, in IPv6, against the network of the address. */
  #takeByAddress(
    addresses: RateLimiter,
    networks: RateLimiter,
    policy: RateLimitPolicy,
    { request, startedAt }: RequestContext,
  ): Taken {
    const address = this.#getClientAddress(request);
    const network = addressNetwork(address);
    if (network !== undefined) {
      // Before the address, so that an exhausted network cannot add addresses to the limiter.
      const result = networks.peek(network, NETWORK_POLICY, startedAt);
      if (!result.allowed) return { policy: NETWORK_POLICY, result };
    }
    const result = addresses.take(addressGroup(address), policy, startedAt);
    if (network !== undefined && result.allowed) networks.take(network, NETWORK_POLICY, startedAt);
    return { policy, result };
  }
}

function addRateLimitHeaders(
  { responseHeaders }: RequestContext,
  policy: RateLimitPolicy,
  { windowStates }: RateLimitResult,
): void {
  responseHeaders.push(
    "ratelimit-policy",
    policy.header,
    "ratelimit",
    rateLimitHeader(windowStates),
  );
}

function applyLimit(
  context: RequestContext,
  policy: RateLimitPolicy,
  result: RateLimitResult,
): void {
  addRateLimitHeaders(context, policy, result);
  if (!result.allowed) throw new RateLimitError(result);
}
