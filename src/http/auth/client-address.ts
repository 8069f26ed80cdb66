import ipaddr from "ipaddr.js";
import { isWithin } from "../../domain/address-range.ts";
import { type HttpRequest, getHeader } from "../pipeline/request-context.ts";

export type GetClientAddress = (asked: HttpRequest) => string;

/**
 * Who is asking. X-Forwarded-For is anybody's to write: of its addresses only those count that a trusted proxy has
 * appended, so that it is read from the right for as long as whoever appended is trusted.
 */
export function createGetClientAddress(trusted: readonly string[]): GetClientAddress {
  if (trusted.length === 0) return ({ peerAddress }) => plainAddress(peerAddress);
  return (asked) => {
    let client = plainAddress(asked.peerAddress);
    const hops = (getHeader(asked, "x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
    while (hops.length > 0 && isWithin(client, trusted)) {
      const hop = plainAddress(withoutPort(hops.pop() ?? ""));
      // What a proxy could not name (`unknown`, an obfuscated name) ends the chain at that proxy.
      if (!ipaddr.isValid(hop)) break;
      client = hop;
    }
    return client;
  };
}

const MAPPED = "::ffff:";

/** An IPv4 address as such, though it came over an IPv6 socket. */
const plainAddress = (address: string): string =>
  address.startsWith(MAPPED) && address.includes(".") ? address.slice(MAPPED.length) : address;

/** Some proxies append `203.0.113.7:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, "$1");

/** Whom a limit by address counts together: one IPv6 subscriber has a whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}

export const isLoopback = (address: string): boolean =>
  address === "::1" || plainAddress(address).startsWith("127.");
