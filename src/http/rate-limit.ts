import type { Runtime } from "../runtime.ts";

export type RateWindow = { name: string; seconds: number };

export const PER_MINUTE: RateWindow = { name: "per-minute", seconds: 60 };
export const PER_HOUR: RateWindow = { name: "per-hour", seconds: 3600 };

/** How many requests each window lets through, as long as it stays the same. */
export type Policy = { windows: readonly { window: RateWindow; quota: number }[]; header: [string, string] };

export function createPolicy(...windows: { window: RateWindow; quota: number }[]): Policy {
  const texts = windows.map(({ window, quota }) => `"${window.name}";q=${quota};w=${window.seconds}`);
  return { windows, header: ["ratelimit-policy", texts.join(", ")] };
}

/** Where a client stands with one window. */
export type Standing = { name: string; remaining: number; resetSeconds: number };

export type Verdict = { allowed: boolean; standings: Standing[] };

export type Limiter = {
  /** Counts a request when every window has room for it. */
  take: (client: string, policy: Policy) => Verdict;
  /** The same without counting. */
  peek: (client: string, policy: Policy) => Verdict;
};

/** Requests of one second; they leave a window together, when the last of them has become old enough. */
type Bucket = { second: number; lastAt: number; count: number };
/** One client's requests. For each window: how many are in it, and the first bucket that still is. */
type Meter = { buckets: Bucket[]; used: number[]; oldest: number[] };

const MAX_CLIENTS = 50_000;
const MAX_DEAD_BUCKETS = 1024;

/**
 * Sliding windows: in no 60 seconds do more requests pass than the quota (fixed ones let two quotas through in two
 * seconds). A refused request counts nothing.
 */
export function createLimiter(rt: Runtime): Limiter {
  const meters = new Map<string, Meter & { policy: Policy }>();

  const judge = (client: string, policy: Policy, counts: boolean): Verdict => {
    const now = rt.monotonic();
    let meter = meters.get(client);
    if (!meter) {
      if (meters.size >= MAX_CLIENTS) forgetIdle(now);
      meter = { buckets: [], used: policy.windows.map(() => 0), oldest: policy.windows.map(() => 0), policy };
      meters.set(client, meter);
    }
    expire(meter, policy, now);
    const { used } = meter;
    const allowed = policy.windows.every(({ quota }, i) => (used[i] ?? 0) < quota);
    if (allowed && counts) count(meter, now);
    return { allowed, standings: standingsOf(meter, policy, now) };
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
    take: (client, policy) => judge(client, policy, true),
    peek: (client, policy) => judge(client, policy, false),
  };
}

function expire(meter: Meter, policy: Policy, now: number): void {
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

const standingsOf = (meter: Meter, policy: Policy, now: number): Standing[] =>
  policy.windows.map(({ window, quota }, i) => {
    const oldest = meter.buckets[meter.oldest[i] ?? 0];
    return {
      name: window.name,
      remaining: Math.max(0, quota - (meter.used[i] ?? 0)),
      resetSeconds: oldest ? Math.ceil((oldest.lastAt + window.seconds * 1000 - now) / 1000) : 0,
    };
  });

/** The header of the IETF draft, the tightest window first. */
export function standingHeader(standings: readonly Standing[]): [string, string] {
  let text = "";
  for (const { name, remaining, resetSeconds } of standings.toSorted(byTightness))
    text += `${text === "" ? "" : ", "}"${name}";r=${remaining};t=${resetSeconds}`;
  return ["ratelimit", text];
}

const byTightness = (a: Standing, b: Standing): number => a.remaining - b.remaining;

/** When the last of the full windows has room again. */
export const retryAfterSeconds = (standings: readonly Standing[]): number =>
  Math.max(1, ...violated(standings).map(({ resetSeconds }) => resetSeconds));

export const violated = (standings: readonly Standing[]): Standing[] =>
  standings.filter(({ remaining }) => remaining === 0);
