import ipaddr from "ipaddr.js";
import { AppError } from "./errors.ts";

/** Whether `text` is an address range such as `203.0.113.0/24`; a single address is one of itself. */
export const isAddressRange = (text: string): boolean =>
  ipaddr.isValidCIDR(text) || ipaddr.isValid(text);

/** @throws AppError usage for one that is none */
export function assertAddressRanges(flag: string, ranges: readonly string[]): void {
  const wrong = ranges.find((range) => !isAddressRange(range));
  if (wrong !== undefined)
    throw new AppError("usage", `${flag} must be an address range, not '${wrong}'.`, {
      fix: `${flag} 10.0.0.0/8`,
    });
}

/**
 * Ranges and addresses of one family are compared as they are; a mapped IPv4 address counts as the IPv4 address that it is.
 * @throws AppError usage for a range that is none
 */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const asked = ipaddr.process(address);
  return ranges.some((range) => {
    const [base, bits] = parseRange(range);
    return asked.kind() === base.kind() && asked.match(base, bits);
  });
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!ipaddr.isValid(text))
    throw new AppError("usage", `'${text}' is no address range.`, {
      fix: "write it like 10.0.0.0/8",
    });
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
