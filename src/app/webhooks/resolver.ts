import { lookup, Resolver } from "node:dns/promises";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { type UrlPolicy, allowsPrivateNames } from "../../domain/webhooks/safe-url.ts";

/** All addresses of a name, IPv4 and IPv6; none when it has none or nobody answers. */
export type Resolve = (hostname: string, allowances: UrlPolicy) => Promise<string[]>;

/**
 * Names of strangers are asked of DNS alone, with timeouts. Names that an operator may have meant for a private network are
 * asked of the system, which also knows the hosts file and mDNS, but holds one of the process's few lookup threads meanwhile.
 */
export const resolveName: Resolve = (hostname, allowances) =>
  allowsPrivateNames(allowances) ? askSystem(hostname) : askDns(hostname);

async function askSystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

async function askDns(hostname: string): Promise<string[]> {
  // A new one each time reads /etc/resolv.conf again: a box that moved networks goes on working.
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  const none = () => [];
  const found = await Promise.all([
    resolver.resolve4(hostname).catch(none),
    resolver.resolve6(hostname).catch(none),
  ]);
  return found.flat();
}

const MAX_CACHED = 10_000;

/** Keeps answers for a minute. A failure is not kept. */
export function cacheResolve(resolve: Resolve, now: () => number, keepMs = 60_000): Resolve {
  const cached = new BoundedCache<string, { until: number; addresses: Promise<string[]> }>(
    MAX_CACHED,
  );
  return (hostname, allowances) => {
    const key = `${allowsPrivateNames(allowances)} ${hostname}`;
    const hit = cached.get(key);
    if (hit !== undefined && hit.until > now()) return hit.addresses;
    const addresses = resolve(hostname, allowances);
    cached.set(key, { until: now() + keepMs, addresses });
    void addresses.then((found) => found.length === 0 && cached.delete(key));
    return addresses;
  };
}
