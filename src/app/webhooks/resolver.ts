import { lookup, Resolver } from "node:dns/promises";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { type UrlPolicy, allowsPrivateNames } from "../../domain/webhooks/safe-url.ts";

/** Returns IPv4 and IPv6 addresses; none if the lookup fails. */
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

const MAX_CACHED = 10_000;

/** Caches results for a minute. Failures are not cached. */
export function cacheResolve(resolve: Resolve, now: () => number, ttlMs = 60_000): Resolve {
  const cached = new BoundedCache<string, { until: number; addresses: Promise<string[]> }>(
    MAX_CACHED,
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
