import { lookup, Resolver } from "node:dns/promises";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { type UrlPolicy, allowsPrivateNames } from "../../domain/webhooks/safe-url.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow, Period } from "../../store/webhooks/endpoints.ts";

/** Returns the IPv4 and IPv6 addresses of a host, or an empty list if the lookup fails. */
export type Resolve = (hostname: string, allowances: UrlPolicy) => Promise<string[]>;

/**
 * Resolves untrusted names through DNS only, with timeouts. Names that may be on a private network
 * are resolved by the system, which also knows the hosts file and mDNS but occupies one of the
 * process's few lookup threads.
 */
export const resolveName: Resolve = (hostname, allowances) =>
  allowsPrivateNames(allowances) ? resolveWithSystem(hostname) : resolveWithDns(hostname);

async function resolveWithSystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

async function resolveWithDns(hostname: string): Promise<string[]> {
  // A new Resolver reads /etc/resolv.conf again, in case the server has changed networks.
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  const none = () => [];
  const found = await Promise.all([
    resolver.resolve4(hostname).catch(none),
    resolver.resolve6(hostname).catch(none),
  ]);
  return found.flat();
}

const MAX_CACHED_HOSTS = 10_000;

/** Returns a lookup that caches results for a minute. Failures are not cached. */
export function cacheResolve(resolve: Resolve, now: () => number, ttlMs = 60_000): Resolve {
  const cached = new BoundedCache<string, { until: number; addresses: Promise<string[]> }>(
    MAX_CACHED_HOSTS,
  );
  return (hostname, allowances) => {
    const key = `${allowsPrivateNames(allowances)} ${hostname}`;
    const hit = cached.get(key);
    if (hit !== undefined && hit.until > now()) return hit.addresses;
    const addresses = resolve(hostname, allowances);
    cached.set(key, { until: now() + ttlMs, addresses });
    void addresses.then((found) => found.length === 0 && cached.delete(key));
    return addresses;
  };
}

// A partner must not be able to flood a host that is not its own. A host that has not responded
// with 2xx to a signed event within the last 30 days gets at most 60 requests an hour: 50
// deliveries, which only the delivery worker counts, and 10 tests, which only the HTTP thread
// counts. Endpoints that the operator trusts (`allowPrivate`) are exempt: partners cannot create
// them, and the operator's own hosts need no protection from the operator.

export const MAX_UNVERIFIED_DELIVERIES = 50;
const MAX_UNVERIFIED_TESTS = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VERIFICATION_MS = 30 * DAY_MS;
/** The verification of a host is renewed at most once a day, to save writes. */
const REFRESH_MS = DAY_MS;

/** Returns the host whose limits apply to an endpoint; null if the operator trusts the endpoint. */
export const limitedHost = ({
  url,
  allowPrivate,
}: Pick<EndpointRow, "url" | "allowPrivate">): string | null =>
  allowPrivate ? null : (URL.parse(url)?.hostname.replace(/\.$/, "") ?? null);

export function isHostVerified(rt: Runtime, host: string): boolean {
  const verifiedAt = rt.store.hosts.findVerifiedAt(host);
  return verifiedAt !== undefined && verifiedAt > rt.now() - VERIFICATION_MS;
}

/** Returns the number of deliveries in the last hour to a host that is not verified. */
export const countUnverifiedDeliveries = (rt: Runtime, host: string): number =>
  rt.store.hosts.countRequests(host, "delivery", lastHour(rt));

/**
 * Returns when the host of an endpoint was verified, and how many more deliveries it may get within
 * the rolling hour. `deliveriesLeft` is null if there is no limit.
 */
export function readHostLimit(rt: Runtime, endpoint: EndpointRow) {
  const host = limitedHost(endpoint);
  if (host === null) return { host, verifiedAt: null, deliveriesLeft: null };
  const verifiedAt = isHostVerified(rt, host) ? rt.store.hosts.findVerifiedAt(host) : undefined;
  const left = MAX_UNVERIFIED_DELIVERIES - countUnverifiedDeliveries(rt, host);
  return {
    host,
    verifiedAt: verifiedAt ?? null,
    deliveriesLeft: verifiedAt === undefined ? Math.max(left, 0) : null,
  };
}

/**
 * Returns whether an endpoint gets no delivery for now, because its host is not verified and got
 * `MAX_UNVERIFIED_DELIVERIES` deliveries in the last hour.
 */
export const isHostLimited = (rt: Runtime, endpoint: EndpointRow): boolean =>
  readHostLimit(rt, endpoint).deliveriesLeft === 0;

/**
 * Returns the hosts that get no delivery for now, because they are not verified and got
 * `MAX_UNVERIFIED_DELIVERIES` deliveries in the last hour.
 */
export const listLimitedHosts = (rt: Runtime): string[] =>
  rt.store.hosts
    .listWithDeliveries(MAX_UNVERIFIED_DELIVERIES, lastHour(rt))
    .filter((host) => !isHostVerified(rt, host));

/**
 * Records results of deliveries to a host: a success verifies the host, and failures count toward
 * its hourly limit. Call it in the transaction that writes these results.
 */
export function recordHostResults(
  rt: Runtime,
  host: string,
  results: readonly { at: number; isSuccess: boolean }[],
): void {
  const verifiedAt = rt.store.hosts.findVerifiedAt(host) ?? 0;
  if (verifiedAt > rt.now() - REFRESH_MS) return;
  if (results.some(({ isSuccess }) => isSuccess)) return rt.store.hosts.verify(host, rt.now());
  for (const { at } of results) rt.store.hosts.recordRequest(host, "delivery", at);
}

/**
 * Counts a partner's test before it is sent.
 * @throws AppError conflict if the host has had all of its tests for this hour
 */
export function recordTest(rt: Runtime, endpoint: EndpointRow): void {
  const host = limitedHost(endpoint);
  if (host === null || isHostVerified(rt, host)) return;
  rt.tx(() => {
    if (rt.store.hosts.countRequests(host, "test", lastHour(rt)) >= MAX_UNVERIFIED_TESTS)
      throw new AppError(
        "conflict",
        `${host} has not accepted an event yet, so it gets at most ${MAX_UNVERIFIED_TESTS} tests an hour.`,
        { fix: "respond with 2xx to an event, or retry in an hour" },
      );
    rt.store.hosts.recordRequest(host, "test", rt.now());
  });
}

/** Marks the host of an endpoint as verified. Call it after a test that got a 2xx response. */
export function verifyHostOf(rt: Runtime, endpoint: EndpointRow): void {
  const host = limitedHost(endpoint);
  if (host !== null && !isHostVerified(rt, host))
    rt.tx(() => rt.store.hosts.verify(host, rt.now()));
}

/** Deletes requests and verifications that no longer count. */
export const pruneHosts = (rt: Runtime): void =>
  rt.store.hosts.prune(rt.now() - HOUR_MS, rt.now() - VERIFICATION_MS);

const lastHour = (rt: Runtime): Period => ({ from: rt.now() - HOUR_MS, to: rt.now() });
