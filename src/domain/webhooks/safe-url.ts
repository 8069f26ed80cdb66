import ipaddr from "ipaddr.js";
import { isWithin } from "../addresses.ts";

/** URLs that are allowed in addition to https on public addresses. */
export type UrlPolicy = {
  allowHttp: boolean;
  /** CIDR blocks of private addresses that are allowed. */
  allowPrivate: readonly string[];
  /** Whether any address and plain http are allowed. */
  trusted: boolean;
};

export type UrlTarget = {
  url: URL;
  /** The host in lower case; an IPv6 address has no brackets. */
  hostname: string;
  /** Whether the host is an IP address. */
  isLiteral: boolean;
};

/**
 * The reason why a URL is unsafe, and a fix, for the person who entered it.
 * `howToAllow`: how the operator can allow such a URL; absent if nobody can
 */
export type UnsafeUrl = { reason: string; fix: string; howToAllow?: string };

const MAX_URL_LENGTH = 2048;
const PRIVATE_SUFFIXES = new Set(["local", "localhost", "internal", "lan", "home", "arpa"]);
/** Azure's internal host for metadata and DNS, whose address is in the public range. */
const AZURE_WIRE_SERVER = "168.63.129.16";
/**
 * Ports from 1024 on that browsers never connect to, because other protocols use them.
 * Source: "bad port" in the WHATWG Fetch standard, https://fetch.spec.whatwg.org/#port-blocking.
 */
export const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10_080,
]);
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

const FIXES_OF_HTTP = {
  fix: "use https",
  howToAllow:
    "allow it with webhooks create --allow-private or serve --allow-http; a command does not see the flags of serve, and needs DESKBELL_ALLOW_HTTP=1 in its environment",
};
const FIXES_OF_PRIVATE = {
  fix: "use a public host",
  howToAllow:
    "allow it with webhooks create --allow-private or serve --allow-private <cidr>; a command does not see the flags of serve, and needs DESKBELL_ALLOW_PRIVATE=<cidr> in its environment",
};

/**
 * Returns the URL without its fragment and the surrounding whitespace. Invalid text is returned
 * unchanged.
 */
export function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.hash = "";
  return url.href;
}

/**
 * Returns the host of a URL, or why the URL is unsafe. Names are not resolved; literal addresses
 * are checked.
 */
export function parseTarget(text: string, policy: UrlPolicy): UrlTarget | UnsafeUrl {
  if (text.length > MAX_URL_LENGTH)
    return {
      reason: `The URL is longer than ${MAX_URL_LENGTH} characters.`,
      fix: "use a shorter URL",
    };
  const url = URL.parse(text);
  if (url === null)
    return {
      reason: "This is not a URL.",
      fix: "write it in full, such as https://example.com/webhooks",
    };
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { reason: `'${url.protocol}' URLs are not supported.`, fix: "use https" };
  if (url.protocol === "http:" && !policy.allowHttp && !policy.trusted)
    return {
      reason: "Plain http is not allowed: anyone on the network could read the deliveries.",
      ...FIXES_OF_HTTP,
    };
  if (url.username !== "" || url.password !== "")
    return {
      reason: "The URL contains a user name or password.",
      fix: "remove it: deliveries are authenticated by their signature",
    };

  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const isLiteral = ipaddr.isValid(hostname);
  const error = isLiteral
    ? unsafeAddressError(hostname, [hostname], policy)
    : privateNameError(hostname, policy);
  return error ?? { url, hostname, isLiteral };
}

/**
 * Returns why the port of a new URL is not allowed: nobody may use an endpoint to probe services
 * other than web servers. A port that an endpoint already has stays allowed.
 */
export function portError({ url }: UrlTarget, { trusted }: UrlPolicy): UnsafeUrl | undefined {
  const { port } = url;
  const isHighPort = Number(port) >= 1024 && !BLOCKED_PORTS.has(Number(port));
  if (trusted || isHighPort || ["", "80", "443"].includes(port)) return undefined;
  const fix = "use port 443, 80, or one from 1024 on that browsers do not block";
  return { reason: `Port ${port} is not allowed.`, fix };
}

/**
 * Returns whether private names are allowed. The addresses of private names are checked in any
 * case.
 */
export const allowsPrivateNames = (policy: UrlPolicy): boolean =>
  policy.trusted || policy.allowPrivate.length > 0;

function privateNameError(hostname: string, policy: UrlPolicy): UnsafeUrl | undefined {
  if (allowsPrivateNames(policy)) return undefined;
  const labels = hostname.replace(/\.$/, "").split(".");
  if (labels.length > 1 && !PRIVATE_SUFFIXES.has(labels.at(-1) ?? "")) return undefined;
  return { reason: `'${hostname}' is a private network name.`, ...FIXES_OF_PRIVATE };
}

/**
 * Returns why a host is unsafe. One unsafe address is enough, because the connection could use it.
 */
export function unsafeAddressError(
  hostname: string,
  addresses: readonly string[],
  policy: UrlPolicy,
): UnsafeUrl | undefined {
  if (policy.trusted) return undefined;
  const unsafe = addresses.find(
    (address) => !isPublicAddress(address) && !isWithin(address, policy.allowPrivate),
  );
  if (unsafe === undefined) return undefined;
  const reason =
    unsafe === hostname
      ? `${unsafe} is not a public address.`
      : `'${hostname}' resolves to ${unsafe}, which is not a public address.`;
  return { reason, ...FIXES_OF_PRIVATE };
}

/** Returns whether an address reaches the same host from anywhere on the internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4)
    return parsed.range() === "unicast" && parsed.toString() !== AZURE_WIRE_SERVER;
  const embedded = embeddedIPv4(parsed);
  if (embedded !== undefined) return isPublicAddress(embedded);
  return parsed.range() === "unicast" && parsed.match(GLOBAL_UNICAST);
}

/** Returns the IPv4 address in a mapped, NAT64 or 6to4 address. */
function embeddedIPv4(address: ipaddr.IPv6): string | undefined {
  const bytes = address.toByteArray();
  if (address.range() === "ipv4Mapped") return bytes.slice(12).join(".");
  if (address.match(ipaddr.IPv6.parseCIDR("64:ff9b::/96"))) return bytes.slice(12).join(".");
  if (address.range() === "6to4") return bytes.slice(2, 6).join(".");
  return undefined;
}
