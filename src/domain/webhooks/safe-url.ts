import ipaddr from "ipaddr.js";
import { isWithin } from "../address-range.ts";

/** What an operator lets an endpoint point at besides https on public addresses. */
export type UrlPolicy = {
  allowHttp: boolean;
  /** CIDR blocks. */
  allowPrivate: readonly string[];
  /** This one endpoint may go anywhere. */
  trusted: boolean;
};

/** A place that may be looked up and connected to. */
export type UrlTarget = {
  url: URL;
  /** Lower case; an IPv6 literal without brackets. */
  hostname: string;
  isLiteral: boolean;
};

/** Why a URL is not safe. Its text is for whoever wrote the URL. */
export type UnsafeUrl = { refused: string; fix: string };

const MAX_URL_LENGTH = 2048;
const PRIVATE_SUFFIXES = new Set(["local", "localhost", "internal", "lan", "home", "arpa"]);
/** Azure's metadata and DNS host: public by its number, private by its use. */
const AZURE_WIRE_SERVER = "168.63.129.16";
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

const FIX_HTTP =
  "use https, or let the operator approve it: webhooks add --allow-private, or serve --allow-http";
const FIX_PRIVATE =
  "use a public host, or let the operator approve it: webhooks add --allow-private, or serve --allow-private <cidr>";

/** A URL as it is called: without what stands around it, and without a fragment. What is none stays as it is. */
export function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.hash = "";
  return url.href;
}

/** Everything that the text alone can tell; a literal address is judged as well. */
export function parseTarget(text: string, allowances: UrlPolicy): UrlTarget | UnsafeUrl {
  if (text.length > MAX_URL_LENGTH)
    return { refused: `It is longer than ${MAX_URL_LENGTH} characters.`, fix: "use a shorter URL" };
  const url = URL.parse(text);
  if (url === null)
    return {
      refused: "It is not a URL.",
      fix: "write it in full, such as https://example.com/webhooks",
    };
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { refused: `'${url.protocol}' is not a web address.`, fix: "use https" };
  if (url.protocol === "http:" && !allowances.allowHttp && !allowances.trusted)
    return { refused: "Plain http would show everybody on the way what is sent.", fix: FIX_HTTP };
  if (url.username !== "" || url.password !== "")
    return {
      refused: "It carries a user name or password.",
      fix: "take it out: deliveries are signed instead",
    };

  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const isLiteral = ipaddr.isValid(hostname);
  const refusal = isLiteral
    ? unsafeAddressError(hostname, [hostname], allowances)
    : judgeName(hostname, allowances);
  return refusal ?? { url, hostname, isLiteral };
}

/** Whether names of a private network are looked up at all; what they lead to is judged all the same. */
export const allowsPrivateNames = (allowances: UrlPolicy): boolean =>
  allowances.trusted || allowances.allowPrivate.length > 0;

function judgeName(hostname: string, allowances: UrlPolicy): UnsafeUrl | undefined {
  if (allowsPrivateNames(allowances)) return undefined;
  const labels = hostname.replace(/\.$/, "").split(".");
  if (labels.length > 1 && !PRIVATE_SUFFIXES.has(labels.at(-1) ?? "")) return undefined;
  return { refused: `'${hostname}' is a name of a private network.`, fix: FIX_PRIVATE };
}

/** One bad address among good ones is enough: which one a connection takes is not for the name's owner to choose. */
export function unsafeAddressError(
  hostname: string,
  addresses: readonly string[],
  allowances: UrlPolicy,
): UnsafeUrl | undefined {
  if (allowances.trusted) return undefined;
  const bad = addresses.find(
    (address) => !isPublicAddress(address) && !isWithin(address, allowances.allowPrivate),
  );
  if (bad === undefined) return undefined;
  const refused =
    bad === hostname
      ? `${bad} is not a public address.`
      : `'${hostname}' leads to ${bad}, not a public address.`;
  return { refused, fix: FIX_PRIVATE };
}

/** Whether anybody on the internet would reach the same host under this address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4)
    return parsed.range() === "unicast" && parsed.toString() !== AZURE_WIRE_SERVER;
  const embedded = embeddedIPv4(parsed);
  if (embedded !== undefined) return isPublicAddress(embedded);
  return parsed.range() === "unicast" && parsed.match(GLOBAL_UNICAST);
}

/** The IPv4 address where a packet to a mapped, NAT64 or 6to4 address ends up. */
function embeddedIPv4(address: ipaddr.IPv6): string | undefined {
  const bytes = address.toByteArray();
  if (address.range() === "ipv4Mapped") return bytes.slice(12).join(".");
  if (address.match(ipaddr.IPv6.parseCIDR("64:ff9b::/96"))) return bytes.slice(12).join(".");
  if (address.range() === "6to4") return bytes.slice(2, 6).join(".");
  return undefined;
}
