import { AppError } from "../../domain/errors.ts";
import { hostAndPort, type Server } from "../../domain/servers-file.ts";

/** A server with the slugs of its businesses. */
export type MappedServer = Server & { businesses: readonly string[] };

export const PROXY_FORMATS = ["caddy", "nginx"] as const;
export type ProxyFormat = (typeof PROXY_FORMATS)[number];

/** @throws AppError state_refuses if a business is on two servers */
export function assertNotShared(servers: readonly MappedServer[]): void {
  const serverOf = new Map<string, string>();
  const issues = servers.flatMap(({ name, businesses }) =>
    businesses.flatMap((slug) => {
      const other = serverOf.get(slug);
      serverOf.set(slug, name);
      const detail = `The business '${slug}' is on the servers ${other} and ${name}.`;
      return other === undefined ? [] : [{ code: "shared_business", detail }];
    }),
  );
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError("state_refuses", first.detail, {
    fix: "on the server that should not have it: deskbell businesses delete SLUG",
    issues,
  });
}

/**
 * Returns the part of a proxy's configuration that sends each request to the server of its
 * business. What is the same on all servers, such as /docs, comes from the first one that runs.
 */
export function writeProxyMap(format: ProxyFormat, servers: readonly MappedServer[]): string {
  const all = servers.flatMap(({ addresses }) => addresses);
  return format === "caddy" ? writeCaddyMap(servers, all) : writeNginxMap(servers, all);
}

const HEAD = "# Written by deskbell proxy-map. Run it again when a business is added or removed.\n";

/**
 * A longer key of a map needs a larger map_hash_bucket_size in nginx, which the rest of the
 * configuration may have set already.
 */
const MAX_KEY = 45;
const RESERVED = ["default", "hostnames", "include", "volatile"];

/** A slug that a map would not take as it is becomes a regular expression. */
const keyOf = (slug: string): string =>
  slug.length > MAX_KEY || RESERVED.includes(slug) ? `~^${slug}$` : slug;

function writeCaddyMap(servers: readonly MappedServer[], all: readonly string[]): string {
  // A server that was restarted, or has no standby yet, has five seconds to accept a connection.
  const proxyTo = (matcher: string, addresses: readonly string[]) =>
    `reverse_proxy ${[matcher, ...addresses.map(hostAndPort)].filter(Boolean).join(" ")} {
	lb_policy first
	lb_try_duration 5s
	fail_duration 5s
}
`;
  const routes = servers.flatMap(({ name, businesses }) =>
    businesses.map((slug) => `\t${keyOf(slug)} ${name}\n`),
  );
  const proxies = servers.map(
    ({ name, addresses }) =>
      `@deskbell_${name} vars {deskbell_server} ${name}\n${proxyTo(`@deskbell_${name}`, addresses)}`,
  );
  return `${HEAD}map {path} {deskbell_slug} {
	~^/v1/businesses/([^/]+) "\${1}"
	default ""
}
map {deskbell_slug} {deskbell_server} {
${routes.join("")}	default ""
}
${proxies.join("")}${proxyTo("", all)}`;
}

function writeNginxMap(servers: readonly MappedServer[], all: readonly string[]): string {
  // nginx ignores max_fails of an only server. A standby that does not run yet is tried each time.
  const upstream = (name: string, [first = "", ...others]: readonly string[]) => `upstream ${name} {
    server ${hostAndPort(first)} max_fails=1 fail_timeout=5s;
${others.map((address) => `    server ${hostAndPort(address)} max_fails=0 backup;\n`).join("")}}
`;
  const routes = servers.flatMap(({ name, businesses }) =>
    businesses.map((slug) => `    ${keyOf(slug)} deskbell_${name};\n`),
  );
  const upstreams = servers.map(({ name, addresses }) => upstream(`deskbell_${name}`, addresses));
  return `${HEAD}${upstream("deskbell", all)}${upstreams.join("")}map $uri $deskbell_slug {
    ~^/v1/businesses/([^/]+) $1;
}
map $deskbell_slug $deskbell_server {
    default deskbell;
${routes.join("")}}
`;
}
