import { AppError } from "../../domain/errors.ts";
import { hostAndPort, type Server } from "../../domain/servers-file.ts";

/** A server, and the slugs of its businesses. */
export type MappedServer = Server & { businesses: readonly string[] };

export const PROXY_FORMATS = ["caddy", "nginx"] as const;
export type ProxyFormat = (typeof PROXY_FORMATS)[number];

/** @throws AppError state_refuses if a business is on several servers */
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
 * business. The first running server answers requests that concern no business, such as /docs.
 */
export function writeProxyMap(format: ProxyFormat, servers: readonly MappedServer[]): string {
  const all = servers.flatMap(({ addresses }) => addresses);
  return format === "caddy" ? writeCaddyMap(servers, all) : writeNginxMap(servers, all);
}

const HEAD = "# Written by deskbell proxy-map. Run it again when a business is added or removed.\n";

/**
 * The longest slug that is a key of the map as it is: nginx needs a larger map_hash_bucket_size for
 * longer keys, which the rest of the configuration may already set.
 */
const MAX_KEY = 45;
const RESERVED = ["default", "hostnames", "include", "volatile"];

/** Returns a slug as a key of a map; a regular expression if the map does not take it as it is. */
const keyOf = (slug: string): string =>
  slug.length > MAX_KEY || RESERVED.includes(slug) ? `~^${slug}$` : slug;

function writeCaddyMap(servers: readonly MappedServer[], all: readonly string[]): string {
  // A connection is retried for five seconds: a server may restart, or have no standby yet.
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
	~^/(?:v1/businesses|b)/([^/.]+) "\${1}"
	default ""
}
map {deskbell_slug} {deskbell_server} {
${routes.join("")}	default ""
}
${proxies.join("")}${proxyTo("", all)}`;
}

function writeNginxMap(servers: readonly MappedServer[], all: readonly string[]): string {
  // nginx ignores max_fails of a single server. A standby that does not run yet is tried each time.
  const upstream = (name: string, [first = "", ...others]: readonly string[]) => `upstream ${name} {
    server ${hostAndPort(first)} max_fails=1 fail_timeout=5s;
${others.map((address) => `    server ${hostAndPort(address)} max_fails=0 backup;\n`).join("")}}
`;
  const routes = servers.flatMap(({ name, businesses }) =>
    businesses.map((slug) => `    ${keyOf(slug)} deskbell_${name};\n`),
  );
  const upstreams = servers.map(({ name, addresses }) => upstream(`deskbell_${name}`, addresses));
  return `${HEAD}${upstream("deskbell", all)}${upstreams.join("")}map $uri $deskbell_slug {
    ~^/(?:v1/businesses|b)/([^/.]+) $1;
}
map $deskbell_slug $deskbell_server {
    default deskbell;
${routes.join("")}}
`;
}
