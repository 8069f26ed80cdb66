import { AppError, type ValidationIssue } from "./errors.ts";
import { quote } from "./text.ts";

/** A daemon that serves some of the businesses that partners reach at one address. */
export type Server = {
  name: string;
  /** `http://host:port` of the daemon and, if it has one, of its standby. */
  addresses: readonly string[];
};

const FORMAT = "NAME http://HOST:PORT [http://STANDBY:PORT]";
/** A server's name becomes a part of names in the configuration of a proxy. */
const NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])$/;

/**
 * Parses a servers file. Each line has the name of a server, its address and, optionally, the
 * address of its standby. `#` starts a comment.
 * @param file the name of the file in errors
 * @throws AppError invalid_input with every invalid line
 */
export function parseServers(file: string, text: string): Server[] {
  const servers: Server[] = [];
  const issues: ValidationIssue[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const [name, ...urls] = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    if (name === undefined) continue;
    // An invalid address stays as it is, for the message.
    const server = { name, addresses: urls.map((url) => toOrigin(url) ?? url) };
    const detail = serverError(server, servers);
    if (detail === undefined) servers.push(server);
    else issues.push({ code: "invalid_server", detail, place: `${file}:${i + 1}` });
  }
  if (servers.length === 0 && issues.length === 0)
    issues.push({ code: "invalid_server", detail: "lists no server.", place: file });
  if (issues.length === 0) return servers;
  throw new AppError("invalid_input", `Invalid servers file ${file}:`, {
    fix: `write a line for each server: ${FORMAT}`,
    issues,
  });
}

/**
 * Returns what is wrong with a server, or undefined.
 * @param earlier the valid servers of the lines above
 */
function serverError({ name, addresses }: Server, earlier: readonly Server[]): string | undefined {
  if (!NAME.test(name))
    return `invalid name ${quote(name)}: use lower-case letters, digits and hyphens.`;
  if (earlier.some((other) => other.name === name)) return `${quote(name)} is listed twice.`;
  if (addresses.length === 0 || addresses.length > 2) return `expected ${FORMAT}.`;
  const invalid = addresses.find((address) => toOrigin(address) === undefined);
  if (invalid !== undefined)
    return `invalid address ${quote(invalid)}: expected http://HOST:PORT. The proxy connects without TLS, so use a private network or a VPN.`;
  const taken = earlier.flatMap((other) => other.addresses);
  const repeated = addresses.find(
    (address, i) => taken.includes(address) || addresses.indexOf(address) < i,
  );
  return repeated === undefined ? undefined : `${quote(repeated)} is listed twice.`;
}

/** Returns `http://host:port`, or undefined for any other URL. */
function toOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.href !== `${url.origin}/` || url.protocol !== "http:") return undefined;
  return HOST.test(url.hostname) ? url.origin : undefined;
}

/** Returns `host:port`, as proxies write an address. */
export const hostAndPort = (address: string): string => {
  const { hostname, port } = new URL(address);
  return `${hostname}:${port || 80}`;
};
