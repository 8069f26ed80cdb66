import ipaddr from "ipaddr.js";
import { AppError } from "./errors.ts";
import { rememberLast } from "./remember-last.ts";

/**
 * Returns whether the text is an IP address. An IPv4 address needs four decimal numbers: the
 * library also reads `1.2.3` as 1.2.0.3 and `010.0.0.1` as 8.0.0.1, as old C functions do.
 */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** Returns whether the text is a CIDR range such as `203.0.113.0/24`, or a single address. */
export const isAddressRange = (text: string): boolean =>
  isAddress(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);

/** @throws AppError usage for an invalid range */
export function assertAddressRanges(flag: string, ranges: readonly string[]): void {
  const invalid = ranges.find((range) => !isAddressRange(range));
  if (invalid !== undefined)
    throw new AppError("usage", `${flag} must be an address range, not '${invalid}'.`, {
      fix: `${flag} 10.0.0.0/8`,
    });
}

/**
 * Returns whether an address is in one of the ranges. An IPv4 address mapped to IPv6 counts as
 * IPv4.
 * @throws AppError usage for an invalid range
 */
export const isWithin = (address: string, ranges: readonly string[]): boolean =>
  createRangeCheck(ranges)(address);

/**
 * Returns a function that does the same as `isWithin`. Parsing the ranges takes most of the time of
 * a check, so whoever checks many addresses parses the ranges once.
 * @throws AppError usage for an invalid range
 */
export function createRangeCheck(ranges: readonly string[]): (address: string) => boolean {
  const parsedRanges = ranges.map(parseRange);
  return (address) => {
    if (!isAddress(address)) return false;
    const parsed = ipaddr.process(address);
    return parsedRanges.some(
      ([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits),
    );
  };
}

/**
 * Returns the address of a range and the length of its prefix. The function also accepts ranges
 * that `isAddressRange` rejects, such as `10.1`: an API key that was created before that check
 * existed keeps its ranges.
 */
function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text))
    throw new AppError("usage", `Invalid address range '${text}'.`, {
      fix: "write it like 10.0.0.0/8",
    });
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * Returns whether a Host header, the host of a URL, or an address to listen on stands for this
 * machine alone: `localhost` or a loopback address.
 */
export const isLoopbackHost = rememberLast(
  (host) => host === "::1" || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host),
);
