export type RateWindow = { name: string; seconds: number };

export const PER_MINUTE: RateWindow = { name: "per-minute", seconds: 60 };
export const PER_HOUR: RateWindow = { name: "per-hour", seconds: 3600 };

/** The quotas of a client, one per window. */
export type RateLimitPolicy = {
  windows: readonly { window: RateWindow; quota: number }[];
  /** The value of the RateLimit-Policy header. */
  header: string;
};

export function createRateLimitPolicy(
  ...windows: { window: RateWindow; quota: number }[]
): RateLimitPolicy {
  const texts = windows.map(
    ({ window, quota }) => `"${window.name}";q=${quota};w=${window.seconds}`,
  );
  return { windows, header: texts.join(", ") };
}

/** A client's remaining requests in one window, and when the oldest requests leave the window. */
export type WindowState = { name: string; remaining: number; resetSeconds: number };

export type RateLimitResult = { allowed: boolean; windowStates: WindowState[] };

/**
 * The requests of one client within one second. They all leave a window at the time when the last
 * of them does.
 */
export type Bucket = {
  /** Second of the monotonic clock; null for requests that an earlier process counted. */
  second: number | null;
  /** Time of the last request on the monotonic clock, in milliseconds. */
  lastAt: number;
  count: number;
};

/** All times are on the monotonic clock, in milliseconds. */
export type RateLimiter = {
  /** Counts a request if every window allows it. */
  take: (client: string, policy: RateLimitPolicy, now: number) => RateLimitResult;
  /** Returns what `take` would return, without counting a request. */
  peek: (client: string, policy: RateLimitPolicy, now: number) => RateLimitResult;
  /**
   * Returns the numbers of requests since `instant` that are to be saved, by client and second. A
   * client with fewer than `minimum` requests is left out. When a client is returned for the first
   * time, its requests from before `instant` are included.
   */
  countedSince: (
    instant: number,
    minimum?: 1 | 2,
  ) => { client: string; second: number; count: number }[];
  /**
   * Restores the counts of an earlier process.
   * @param buckets in order of time
   */
  restore: (client: string, buckets: Bucket[]) => void;
};

/** The requests of one client. */
type Meter = {
  buckets: Bucket[];
  /** The number of requests in each window. */
  used: number[];
  /** The index of the oldest bucket in each window. */
  oldest: number[];
  /** Whether `countedSince` has left out this client so far. */
  isUnsaved: boolean;
};

/**
 * Maximum number of clients in memory. The client with the oldest last request is forgotten first.
 */
const MAX_CLIENTS = 50_000;
/**
 * Expired buckets are removed in batches of this number, because each removal moves all later
 * buckets of the array.
 */
const MAX_EXPIRED_BUCKETS = 1024;

/**
 * Returns a rate limiter with sliding windows: no interval of 60 seconds has more requests than the
 * quota. Fixed windows would allow two quotas within two seconds. A rejected request is not
 * counted.
 */
export function createRateLimiter(): RateLimiter {
  /**
   * Meters by client, in the order of the clients' last requests: the first one is evicted without
   * a search.
   */
  const meters = new Map<string, Meter>();
  /**
   * Buckets that an earlier process saved, by client. They are removed at the client's first
   * request.
   */
  const restored = new Map<string, Bucket[]>();
  /** The last client in `meters`, which need not be moved to the end again. */
  let newest: string | undefined;

  const check = (
    client: string,
    policy: RateLimitPolicy,
    now: number,
    mode: "take" | "peek",
  ): RateLimitResult => {
    const meter = meters.get(client) ?? createMeter(client, policy);
    expire(meter, policy, now);
    const { used } = meter;
    const allowed = policy.windows.every(({ quota }, i) => (used[i] ?? 0) < quota);
    if (mode === "take" && allowed) countRequest(meter, now);
    // A refused request moves its client to the end, too, because `meters` is in order of requests.
    if (mode === "take" && client !== newest) {
      restored.delete(client);
      meters.delete(client);
      meters.set(client, meter);
      newest = client;
      evictOldest();
    }
    return { allowed, windowStates: windowStatesOf(meter, policy, now) };
  };

  const createMeter = (client: string, policy: RateLimitPolicy): Meter => {
    const buckets = restored.get(client) ?? [];
    // Every window counts all restored requests at first; `expire` takes out those that are too
    // old.
    const total = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    return {
      buckets,
      used: policy.windows.map(() => total),
      oldest: policy.windows.map(() => 0),
      isUnsaved: buckets.length === 0,
    };
  };

  const evictOldest = (): void => {
    if (meters.size <= MAX_CLIENTS) return;
    const [oldest] = meters.keys();
    if (oldest !== undefined) meters.delete(oldest);
  };

  return {
    take: (client, policy, now) => check(client, policy, now, "take"),
    peek: (client, policy, now) => check(client, policy, now, "peek"),
    countedSince(instant, minimum = 1) {
      const counts: { client: string; second: number; count: number }[] = [];
      for (const [client, meter] of meters) {
        const { buckets } = meter;
        if (meter.isUnsaved && !hasRequests(buckets, minimum)) continue;
        for (let i = buckets.length - 1; i >= 0; i--) {
          const { second, lastAt, count: requests } = buckets[i] as Bucket;
          // Buckets of an earlier process come first in `buckets`, and are saved already.
          if (second === null || (lastAt < instant && !meter.isUnsaved)) break;
          counts.push({ client, second, count: requests });
        }
        meter.isUnsaved = false;
      }
      return counts;
    },
    restore: (client, buckets) => void restored.set(client, buckets),
  };
}

/**
 * Takes expired buckets out of each window, and deletes those that are in no window any more.
 */
function expire(meter: Meter, policy: RateLimitPolicy, now: number): void {
  /** The number of buckets that are in no window any more. */
  let expired = meter.buckets.length;
  for (let i = 0; i < policy.windows.length; i++) {
    const windowMs = (policy.windows[i] as { window: RateWindow }).window.seconds * 1000;
    let oldest = meter.oldest[i] ?? 0;
    let bucket = meter.buckets[oldest];
    while (bucket && bucket.lastAt + windowMs <= now) {
      meter.used[i] = (meter.used[i] ?? 0) - bucket.count;
      bucket = meter.buckets[++oldest];
    }
    meter.oldest[i] = oldest;
    expired = Math.min(expired, oldest);
  }
  if (expired < MAX_EXPIRED_BUCKETS) return;
  meter.buckets.splice(0, expired);
  meter.oldest = meter.oldest.map((index) => index - expired);
}

/**
 * Returns whether there are at least `minimum` requests. Each bucket has at least one request, so
 * the first two buckets are enough to tell.
 */
const hasRequests = ([first, second]: readonly Bucket[], minimum: 1 | 2): boolean =>
  (first?.count ?? 0) + (second?.count ?? 0) >= minimum;

function countRequest(meter: Meter, now: number): void {
  const second = Math.floor(now / 1000);
  const last = meter.buckets.at(-1);
  if (last?.second === second) {
    last.lastAt = now;
    last.count += 1;
  } else meter.buckets.push({ second, lastAt: now, count: 1 });
  for (let i = 0; i < meter.used.length; i++) meter.used[i] = (meter.used[i] ?? 0) + 1;
}

const windowStatesOf = (meter: Meter, policy: RateLimitPolicy, now: number): WindowState[] =>
  policy.windows.map(({ window, quota }, i) => {
    const oldest = meter.buckets[meter.oldest[i] ?? 0];
    return {
      name: window.name,
      remaining: Math.max(0, quota - (meter.used[i] ?? 0)),
      // The whole seconds are added last: a sum with a fraction may be rounded up by a second.
      resetSeconds: oldest ? window.seconds + Math.ceil((oldest.lastAt - now) / 1000) : 0,
    };
  });

/**
 * Returns the value of the RateLimit header (IETF draft), which begins with the window that has the
 * fewest requests left.
 */
export function rateLimitHeader(states: readonly WindowState[]): string {
  let text = "";
  let fewestLeft = Infinity;
  for (const { name, remaining, resetSeconds } of states) {
    const state = `"${name}";r=${remaining};t=${resetSeconds}`;
    if (text === "") text = state;
    else text = remaining < fewestLeft ? `${state}, ${text}` : `${text}, ${state}`;
    fewestLeft = Math.min(fewestLeft, remaining);
  }
  return text;
}

/** Returns the seconds until every exhausted window allows a request again. */
export const retryAfterSeconds = (states: readonly WindowState[]): number =>
  Math.max(1, ...exhaustedWindows(states).map(({ resetSeconds }) => resetSeconds));

export const exhaustedWindows = (states: readonly WindowState[]): WindowState[] =>
  states.filter(({ remaining }) => remaining === 0);
