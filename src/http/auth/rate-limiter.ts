export type RateWindow = { name: string; seconds: number };

export const PER_MINUTE: RateWindow = { name: "per-minute", seconds: 60 };
export const PER_HOUR: RateWindow = { name: "per-hour", seconds: 3600 };

/** How many requests each window lets through, as long as it stays the same. */
export type RateLimitPolicy = {
  windows: readonly { window: RateWindow; quota: number }[];
  /** As RateLimit-Policy has it. */
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

/** Where a client stands with one window. */
export type WindowState = { name: string; remaining: number; resetSeconds: number };

export type RateLimitResult = { allowed: boolean; windowStates: WindowState[] };

/**
 * Requests of one second; they leave a window together, when the last of them has become old enough. What an earlier process
 * has counted is of no second of this one.
 */
export type Bucket = { second: number | null; lastAt: number; count: number };

/** Times are on the clock that never jumps. */
export type RateLimiter = {
  /** Counts a request when every window has room for it. */
  take: (client: string, policy: RateLimitPolicy, now: number) => RateLimitResult;
  /** The same without counting. */
  peek: (client: string, policy: RateLimitPolicy, now: number) => RateLimitResult;
  /** What was counted from an instant on, of every client. */
  countedSince: (instant: number) => { client: string; second: number; count: number }[];
  /** Takes up what an earlier process has counted, in the order of time. */
  restore: (client: string, buckets: Bucket[]) => void;
};

/** One client's requests. For each window: how many are in it, and the first bucket that still is. */
type Meter = { buckets: Bucket[]; used: number[]; oldest: number[]; policy: RateLimitPolicy };

const MAX_CLIENTS = 50_000;
const MAX_DEAD_BUCKETS = 1024;

/**
 * Sliding windows: in no 60 seconds do more requests pass than the quota (fixed ones let two quotas through in two
 * seconds). A refused request counts nothing.
 */
export function createRateLimiter(): RateLimiter {
  const meters = new Map<string, Meter>();
  const restored = new Map<string, Bucket[]>();

  const judge = (
    client: string,
    policy: RateLimitPolicy,
    now: number,
    counts: boolean,
  ): RateLimitResult => {
    const meter = meters.get(client) ?? open(client, policy, now);
    expire(meter, policy, now);
    const { used } = meter;
    const allowed = policy.windows.every(({ quota }, i) => (used[i] ?? 0) < quota);
    if (allowed && counts) count(meter, now);
    return { allowed, windowStates: standingsOf(meter, policy, now) };
  };

  const open = (client: string, policy: RateLimitPolicy, now: number): Meter => {
    if (meters.size >= MAX_CLIENTS) forgetIdle(now);
    const buckets = restored.get(client) ?? [];
    restored.delete(client);
    const total = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    const meter = {
      buckets,
      used: policy.windows.map(() => total),
      oldest: policy.windows.map(() => 0),
      policy,
    };
    meters.set(client, meter);
    return meter;
  };

  /** Who has nothing in any window is as good as unknown; when everybody has, the first who came goes. */
  const forgetIdle = (now: number): void => {
    for (const [client, meter] of meters) {
      expire(meter, meter.policy, now);
      if (meter.used.every((used) => used === 0)) meters.delete(client);
    }
    const [first] = meters.keys();
    if (meters.size >= MAX_CLIENTS && first !== undefined) meters.delete(first);
  };

  return {
    take: (client, policy, now) => judge(client, policy, now, true),
    peek: (client, policy, now) => judge(client, policy, now, false),
    countedSince(instant) {
      const found: { client: string; second: number; count: number }[] = [];
      for (const [client, { buckets }] of meters)
        for (let i = buckets.length - 1; i >= 0; i--) {
          const { second, lastAt, count: ofSecond } = buckets[i] as Bucket;
          if (second === null || lastAt < instant) break;
          found.push({ client, second, count: ofSecond });
        }
      return found;
    },
    restore: (client, buckets) => void restored.set(client, buckets),
  };
}

function expire(meter: Meter, policy: RateLimitPolicy, now: number): void {
  let dead = meter.buckets.length;
  for (let i = 0; i < policy.windows.length; i++) {
    const ms = (policy.windows[i] as { window: RateWindow }).window.seconds * 1000;
    let oldest = meter.oldest[i] ?? 0;
    let bucket = meter.buckets[oldest];
    while (bucket && bucket.lastAt + ms <= now) {
      meter.used[i] = (meter.used[i] ?? 0) - bucket.count;
      bucket = meter.buckets[++oldest];
    }
    meter.oldest[i] = oldest;
    dead = Math.min(dead, oldest);
  }
  if (dead < MAX_DEAD_BUCKETS) return;
  meter.buckets.splice(0, dead);
  meter.oldest = meter.oldest.map((index) => index - dead);
}

function count(meter: Meter, now: number): void {
  const second = Math.floor(now / 1000);
  const last = meter.buckets.at(-1);
  if (last?.second === second) {
    last.lastAt = now;
    last.count += 1;
  } else meter.buckets.push({ second, lastAt: now, count: 1 });
  for (let i = 0; i < meter.used.length; i++) meter.used[i] = (meter.used[i] ?? 0) + 1;
}

const standingsOf = (meter: Meter, policy: RateLimitPolicy, now: number): WindowState[] =>
  policy.windows.map(({ window, quota }, i) => {
    const oldest = meter.buckets[meter.oldest[i] ?? 0];
    return {
      name: window.name,
      remaining: Math.max(0, quota - (meter.used[i] ?? 0)),
      resetSeconds: oldest ? Math.ceil((oldest.lastAt + window.seconds * 1000 - now) / 1000) : 0,
    };
  });

/** RateLimit as the IETF draft has it, the tightest window first. */
export function rateLimitHeader(standings: readonly WindowState[]): string {
  let text = "";
  let tightest = Infinity;
  for (const { name, remaining, resetSeconds } of standings) {
    const standing = `"${name}";r=${remaining};t=${resetSeconds}`;
    if (text === "") text = standing;
    else text = remaining < tightest ? `${standing}, ${text}` : `${text}, ${standing}`;
    tightest = Math.min(tightest, remaining);
  }
  return text;
}

/** When the last of the full windows has room again. */
export const retryAfterSeconds = (standings: readonly WindowState[]): number =>
  Math.max(1, ...exhaustedWindows(standings).map(({ resetSeconds }) => resetSeconds));

export const exhaustedWindows = (standings: readonly WindowState[]): WindowState[] =>
  standings.filter(({ remaining }) => remaining === 0);
