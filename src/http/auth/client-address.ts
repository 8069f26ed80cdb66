import { createRangeCheck, isAddress, isLoopbackHost } from "../../domain/addresses.ts";
import ipaddr from "ipaddr.js";
import { rememberLast } from "../../domain/remember-last.ts";
import { getHeader, type HttpRequest } from "../pipeline/request-context.ts";
import type { Runtime } from "../../app/runtime.ts";

export type GetClientAddress = (request: HttpRequest) => string;

/**
 * The client that is charged for the CPU time of a request: an API key, or else an address with its
 * IPv6 /48 (`network`).
 */
export type RequestClient = { id: string; network: string | undefined; isKey: boolean };

/**
 * Returns a function that finds a client's address. Any client can send X-Forwarded-For, so only
 * the addresses appended by trusted proxies count: the header is read from the right until an
 * address is not a trusted proxy.
 */
export function createGetClientAddress(trustedProxies: readonly string[]): GetClientAddress {
  if (trustedProxies.length === 0) return ({ peerAddress }) => unmapIpv4(peerAddress);
  const isTrusted = createRangeCheck(trustedProxies);
  const classify = (peer: string) => {
    const address = unmapIpv4(peer);
    return { peer, address, isProxy: isTrusted(address) };
  };
  // The last result is kept, because consecutive requests usually come through the same proxy.
  let last = classify("");
  return (request) => {
    if (request.peerAddress !== last.peer) last = classify(request.peerAddress);
    let { address, isProxy } = last;
    if (!isProxy) return address;
    const hops = (getHeader(request, "x-forwarded-for") ?? "").split(",");
    while (isProxy && hops.length > 0) {
      const hop = unmapIpv4(withoutPort((hops.pop() ?? "").trim()));
      // A proxy may append `unknown` or an obfuscated name. The proxy itself is then the client.
      if (!isAddress(hop)) break;
      address = hop;
      // The leftmost hop is the client, even if it has the address of a trusted proxy.
      isProxy = hops.length > 0 && isTrusted(hop);
    }
    return address;
  };
}

const IPV4_MAPPED_PREFIX = "::ffff:";

/** Returns an IPv4 address in its own notation, even if it arrived on an IPv6 socket. */
export const unmapIpv4 = (address: string): string =>
  address.startsWith(IPV4_MAPPED_PREFIX) && address.includes(".")
    ? address.slice(IPV4_MAPPED_PREFIX.length)
    : address;

/**
 * Returns an address without its port: some proxies append `203.0.113.7:4711` or
 * `[2001:db8::1]:4711`. A hop without a colon has no port.
 */
const withoutPort = (hop: string): string => (hop.includes(":") ? removePort(hop) : hop);

const removePort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, "$1");

/**
 * Returns the ID under which an address is rate-limited: the address itself, or the /64 of an IPv6
 * address, because one subscriber usually has a whole /64.
 */
export const addressGroup = (address: string): string =>
  ipv6Prefix(address, 64) ?? unmapIpv4(address);

/**
 * Returns the IPv6 /48 of an address, which is the most that one customer usually gets; undefined
 * for IPv4. A /48 has 65,536 /64s, each with its own limit.
 */
export const addressNetwork = (address: string): string | undefined => ipv6Prefix(address, 48);

function ipv6Prefix(address: string, bits: 48 | 64): string | undefined {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  // All IPv4-mapped addresses lie in one /64, so a prefix would not tell them apart.
  if (parsed.isIPv4MappedAddress()) return undefined;
  const parts = parsed.parts.slice(0, bits / 16);
  return `${parts.map((part) => part.toString(16)).join(":")}::/${bits}`;
}

export const isLoopback = rememberLast(
  (address) => address === "::1" || unmapIpv4(address).startsWith("127."),
);

const PROXY_HEADERS = new Set([
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
]);

/**
 * Returns whether a program on this machine sent the request itself. A request through a proxy on
 * this machine comes from a loopback address, too, but most proxies add a header or keep the
 * client's Host.
 */
export function isLocalRequest({ peerAddress, headers }: HttpRequest): boolean {
  if (!isLoopback(peerAddress) || !isLoopbackHost(headers.host ?? "")) return false;
  for (const name in headers) if (PROXY_HEADERS.has(name)) return false;
  return true;
}

export type SharedAddressDetector = {
  record: (request: HttpRequest) => void;
  /** Saves a newly detected address for `status` and `doctor`, which run in other processes. */
  flush: () => void;
};

const PRIVATE_RANGES = new Set(["private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);
/** Number of requests in a row from one address that suggest a proxy. */
const MIN_REQUESTS = 100;

/**
 * Detects a proxy that hides the addresses of its clients, so that all share one rate limit. Such a
 * proxy is missing in --trusted-proxy or sends no X-Forwarded-For: every request then has the
 * proxy's address, which is trusted or private. A single client in the local network looks the
 * same, so a private address other than loopback counts only if the server has a public URL.
 */
export function createSharedAddressDetector(rt: Runtime): SharedAddressDetector {
  const { trustedProxies, publicUrl } = rt.config.http;
  let address: string | null = null;
  let requests = 0;
  let saved: string | null = null;

  const isProxy = createRangeCheck(trustedProxies);
  const classify = (peer: string) => {
    const isTrusted = isProxy(peer);
    // The peer of a closed socket has no address. Such a peer is not taken for a proxy.
    const range = ipaddr.isValid(peer) ? ipaddr.process(peer).range() : "unicast";
    const isPrivate = range === "loopback" || (publicUrl !== "" && PRIVATE_RANGES.has(range));
    return { peer, isTrusted, mayBeProxy: isTrusted || isPrivate };
  };
  // The last result is kept, because consecutive requests usually have the same peer.
  let last = classify("");
  /** Returns the address of a proxy that hides the client; null if the peer is the client. */
  const findProxy = (request: HttpRequest): string | null => {
    if (request.peerAddress !== last.peer) last = classify(request.peerAddress);
    const isForwarded = last.isTrusted && request.headers["x-forwarded-for"] !== undefined;
    return last.mayBeProxy && !isForwarded ? last.peer : null;
  };

  return {
    record(request) {
      // A request from this machine does not show whether a proxy hides the other clients.
      if (isLocalRequest(request)) return;
      const proxy = findProxy(request);
      requests = proxy === address ? requests + 1 : 1;
      address = proxy;
    },
    flush() {
      const shared = requests >= MIN_REQUESTS ? address : null;
      if (shared === saved) return;
      rt.tx(() => rt.store.daemon.saveSharedAddress(shared));
      saved = shared;
    },
  };
}
