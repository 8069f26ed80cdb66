import { loadRateCounts, saveRateCounts } from "../../app/operations/rate-counts.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  createRateLimiter,
  type RateLimiter,
  createRateLimitPolicy,
  exhaustedWindows,
  PER_HOUR,
  PER_MINUTE,
  rateLimitHeader,
  type RateLimitPolicy,
  type RateLimitResult,
  type RateWindow,
  type WindowState,
  retryAfterSeconds,
} from "./rate-limiter.ts";
import { DEFAULT_LIMITS } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import type { RequestContext } from "../pipeline/request-context.ts";
import { addressGroup, addressNetwork, type GetClientAddress } from "./client-address.ts";
import { createKeyPolicy, type KnownKey, type KnownPartner } from "./known-keys.ts";

export type RateLimits = {
  keys: RateLimiter;
  addresses: RateLimiter;
  /** Requests by IPv6 /48. They are not saved, because an attacker can use any number of /48s. */
  networks: RateLimiter;
  /**
   * Requests by address to routes that are outside /v1/businesses and need no key. A restart resets
   * them.
   */
  open: RateLimiter;
  /** Failed authentications by address. A restart resets them. */
  failures: RateLimiter;
  /** Saves the counts of keys and addresses. */
  flush: () => void;
};

/** Matches the ID of a key or partner. The name of any other client is its address. */
const KEY_ID = /^(?:key|ptn)_/;
/**
 * An address with fewer requests is not saved, because an attacker can use any number of addresses
 * once.
 */
const MIN_SAVED_REQUESTS = 2;
/** A smaller change of the difference between the clocks is a normal adjustment, not a jump. */
const MIN_JUMP_SECONDS = 2;

/**
 * Returns the limiters. They count in memory with times of the monotonic clock. `flush` saves the
 * counts with times of the wall clock, so that a restart loses only the requests since the last
 * flush.
 */
export function createRateLimits(rt: Runtime): RateLimits {
  const keys = createRateLimiter();
  const addresses = createRateLimiter();
  // Wall clock minus monotonic clock, in milliseconds. The offset changes only when the wall clock
  // jumps. If the offset followed small adjustments, the requests of one second could be saved
  // under two different seconds.
  const measureOffset = () => rt.now() - rt.monotonic();
  let offset = measureOffset();
  // Several processes can save counts of the same second. Each of them marks its own rows with a
  // random number.
  const processNumber = Math.floor(rt.randomFraction() * 2 ** 32);
  let savedAt = rt.monotonic();
  const saved = loadRateCounts(rt);
  // The next flush adds these seconds to the times of the saved counts, because the clock was set.
  let unsavedJumpSeconds = saved.shift;
  for (const [client, rows] of Map.groupBy(saved.rows, (row) => row.client)) {
    const limiter = KEY_ID.test(client) ? keys : addresses;
    const buckets = rows.map(({ second, count }) => {
      // A second of the wall clock overlaps two seconds of the monotonic clock. The requests count
      // as made at the end of the later one, but not in the future.
      const lastAt = Math.min((second + 2) * 1000 - offset, savedAt) - 1;
      return { second: null, lastAt, count };
    });
    limiter.restore(client, buckets);
  }

  return {
    keys,
    addresses,
    networks: createRateLimiter(),
    open: createRateLimiter(),
    failures: createRateLimiter(),
    flush() {
      const startedAt = rt.monotonic();
      const jumpSeconds = Math.round((measureOffset() - offset) / 1000);
      if (Math.abs(jumpSeconds) >= MIN_JUMP_SECONDS) {
        offset += jumpSeconds * 1000;
        unsavedJumpSeconds += jumpSeconds;
      }
      const counts = [
        ...keys.countedSince(savedAt),
        ...addresses.countedSince(savedAt, MIN_SAVED_REQUESTS),
      ].map(({ client, second, count }) => ({
        client,
        second: Math.floor(second + offset / 1000),
        process: processNumber,
        count,
      }));
      if (counts.length === 0 && unsavedJumpSeconds === 0) return;
      saveRateCounts(rt, counts, unsavedJumpSeconds);
      unsavedJumpSeconds = 0;
      savedAt = startedAt;
    },
  };
}

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
/**
 * The quota has room for several health checks per second, or for an office that shares one
 * address.
 */
const OPEN_POLICY = createRateLimitPolicy({ window: PER_MINUTE, quota: 600 });
const FAILURE_POLICY = createRateLimitPolicy({ window: PER_MINUTE, quota: 60 });
/**
 * An IPv6 /48 gets the quota of ten /64s, because several households or offices can share one /48.
 */
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

/**
 * The requests of a key in one window, and the seconds until the oldest of them leave the window.
 */
export type WindowUse = {
  window: RateWindow;
  limit: number;
  used: number;
  resetSeconds: number;
};

/** The policy that decided about a request, and the decision. */
type Decision = { policy: RateLimitPolicy; result: RateLimitResult };

/** Counts each request against its key or its address, and tells the client what remains. */
export class RequestLimits {
  readonly #limits: RateLimits;
  readonly #getClientAddress: GetClientAddress;

  constructor(limits: RateLimits, getClientAddress: GetClientAddress) {
    this.#limits = limits;
    this.#getClientAddress = getClientAddress;
  }

  /** Counts a request with a key. @throws RateLimitError */
  takeKey(context: RequestContext, known: KnownKey): void {
    const { key, policy, partner } = known;
    if (partner !== null) return this.#takeAtBusiness(context, known, partner);
    applyLimit(context, policy, this.#limits.keys.take(key.id, policy, context.startedAt));
  }

  /**
   * Counts a partner's request that names no business, or one that the partner does not reach.
   * @throws RateLimitError
   */
  takePartner(context: RequestContext, { key, policy }: KnownPartner): void {
    const result = this.#limits.keys.take(key.partnerId, policy, context.startedAt);
    applyLimit(context, policy, result);
  }

  /**
   * Counts a partner's request to a business, if the limits of the partner's key at this business
   * and the limits of the whole partner both allow the request.
   * @throws RateLimitError
   */
  #takeAtBusiness(
    context: RequestContext,
    { key, policy }: KnownKey,
    { key: { partnerId }, policy: totalPolicy }: KnownPartner,
  ): void {
    const { keys } = this.#limits;
    const { startedAt } = context;
    const totalBefore = keys.peek(partnerId, totalPolicy, startedAt);
    const atBusiness = totalBefore.allowed
      ? keys.take(key.id, policy, startedAt)
      : keys.peek(key.id, policy, startedAt);
    const counted = atBusiness.allowed && totalBefore.allowed;
    const total = counted ? keys.take(partnerId, totalPolicy, startedAt) : totalBefore;
    applyLimit(
      context,
      {
        windows: [...policy.windows, ...totalPolicy.windows],
        header: `${policy.header}, ${totalPolicy.header}`,
      },
      { allowed: counted, windowStates: [...atBusiness.windowStates, ...total.windowStates] },
    );
  }

  /** Adds the headers that state a key's limits, without counting the request. */
  addKeyHeaders(context: RequestContext, { key, policy }: KnownKey): void {
    const result = this.#limits.keys.peek(key.id, policy, context.startedAt);
    addRateLimitHeaders(context, policy, result);
  }

  /** Returns what a key has used of its limits, without counting a request. */
  readKey({ startedAt }: RequestContext, key: KnownKey["key"]): WindowUse[] {
    const policy = createKeyPolicy(key.limitMinute, key.limitHour);
    const { windowStates } = this.#limits.keys.peek(key.id, policy, startedAt);
    return policy.windows.map(({ window, quota }, i) => {
      const { remaining, resetSeconds } = windowStates[i] as WindowState;
      return { window, limit: quota, used: quota - remaining, resetSeconds };
    });
  }

  /**
   * Counts a request that has no valid key and is to a public route of a business. @throws
   * RateLimitError
   */
  takePublic(context: RequestContext): void {
    const { addresses, networks } = this.#limits;
    const { policy, result } = this.#takeByAddress(addresses, networks, PUBLIC_POLICY, context);
    applyLimit(context, policy, result);
  }

  /**
   * Counts a request to a route that is outside /v1/businesses and needs no key. @throws
   * RateLimitError
   */
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

  /**
   * Counts a request against its address and, in IPv6, against the network of the address. One
   * limiter can count both, because the name of a network is never that of an address.
   */
  #takeByAddress(
    addresses: RateLimiter,
    networks: RateLimiter,
    policy: RateLimitPolicy,
    { request, startedAt }: RequestContext,
  ): Decision {
    const address = this.#getClientAddress(request);
    const network = addressNetwork(address);
    if (network !== undefined) {
      // The network is checked first, so that an exhausted network cannot add addresses to the
      // limiter.
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

/**
 * Adds the rate limit headers to the response. @throws RateLimitError if the request was not
 * allowed
 */
function applyLimit(
  context: RequestContext,
  policy: RateLimitPolicy,
  result: RateLimitResult,
): void {
  addRateLimitHeaders(context, policy, result);
  if (!result.allowed) throw new RateLimitError(result);
}
