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

/** The line with which the rows of a map begin. */
const MAP_HEAD: Record<ProxyFormat, string> = {
  caddy: "map {deskbell_slug} {deskbell_server} {\n",
  nginx: "map $deskbell_slug $deskbell_server {\n",
};
const ROW: Record<ProxyFormat, RegExp> = {
  caddy: /^\t(?:~\^)?([a-z0-9-]+)\$? ([a-z0-9-]+)$/,
  nginx: /^ {4}(?:~\^)?([a-z0-9-]+)\$? deskbell_([a-z0-9-]+);$/,
};
/** The rows without a business or server: the default, and paths without a slug. */
const OTHER_ROW = /^\s*(?:default ""|"" deskbell;)?;?$/;
/** The row of a server, which the map has even if the server has no business. */
const SERVER_ROW = /^\s*\/servers\/([a-z0-9-]+) /;

/**
 * Returns the slugs of each server in a map that `writeProxyMap` has written. A server without a
 * business has an empty list.
 * @param name the name of the file in errors
 * @throws AppError invalid_input for another file
 */
export function readProxyMap(
  format: ProxyFormat,
  name: string,
  text: string,
): Map<string, string[]> {
  const rows = text.split(MAP_HEAD[format])[1]?.split("}\n")[0];
  if (rows === undefined)
    throw new AppError("invalid_input", `${name} is not a map for ${format} from proxy-map.`, {
      fix: "name the map that the proxy has, with its --format",
    });
  const slugs = new Map<string, string[]>();
  for (const row of rows.split("\n")) {
    if (OTHER_ROW.test(row)) continue;
    const [, onlyServer] = SERVER_ROW.exec(row) ?? [];
    if (onlyServer !== undefined) {
      slugs.set(onlyServer, slugs.get(onlyServer) ?? []);
      continue;
    }
    const [, slug, server] = ROW[format].exec(row) ?? [];
    if (slug === undefined || server === undefined)
      throw new AppError(
        "invalid_input",
        `${name} has a row that proxy-map did not write: ${row.trim()}`,
        {
          fix: "correct the row, or name a copy of the map that nobody has edited",
        },
      );
    slugs.set(server, [...(slugs.get(server) ?? []), slug]);
  }
  return slugs;
}

/**
 * Returns the part of a proxy's configuration that sends each request to the server of its
 * business. The first running server answers requests that concern no business, such as /docs.
 * Requests below `/servers/NAME/` go to that server, for routes that concern all businesses of a
 * key. The proxy itself responds with a problem and status 503 for an unknown business and for a
 * server that does not run, because another server would call the API key invalid.
 */
export function writeProxyMap(format: ProxyFormat, servers: readonly MappedServer[]): string {
  const allAddresses = servers.flatMap(({ addresses }) => addresses);
  const write = format === "caddy" ? writeCaddyMap : writeNginxMap;
  return write(servers, allAddresses);
}

const HEAD = "# Written by deskbell proxy-map. Run it again when a business is added or removed.\n";

/**
 * The longest slug that is written as a plain key of the map. Longer keys need a larger
 * map_hash_bucket_size of nginx, and a configuration cannot set that twice.
 */
const MAX_KEY = 45;
/** Words that have a meaning of their own in a map of nginx. */
const RESERVED = ["default", "hostnames", "include", "volatile"];

/** Returns a slug as a key of a map; as a regular expression if a plain key is not possible. */
const keyOf = (slug: string): string =>
  slug.length > MAX_KEY || RESERVED.includes(slug) ? `~^${slug}$` : slug;

/** Returns the body of a response of the proxy itself, in the format of the API's problems. */
const problem = (code: string, title: string, detail: string): string =>
  JSON.stringify({ type: "about:blank", title, status: 503, code, detail });

const NOT_MAPPED = problem(
  "business_not_mapped",
  "Business not mapped",
  "No server has a business with this slug. Check the slug; a new business can be reached after a few minutes.",
);
const UNREACHABLE = problem(
  "server_unreachable",
  "Server unreachable",
  "The server of this business does not respond. Send the request again after the seconds in Retry-After; the API key is still right.",
);
const RETRY_AFTER_SECONDS = 60;

/**
 * The most rows for which Caddy is fast. It compares a slug with one row after another; with more
 * rows, this takes longer than the rest of a request.
 */
export const MAX_CADDY_ROWS = 2000;
/**
 * The most rows for which the map does not set map_hash_max_size. nginx warns if its default of
 * 2048 is too small.
 */
const MAX_DEFAULT_ROWS = 1500;

/**
 * Caddy asks a server and its standby itself which of them runs, instead of counting failed
 * requests (`fail_duration`). Up to version 2.11.1 at least, Caddy cannot send a request with a
 * body to a second address, and counts the attempt as a failure of the standby: one POST would make
 * the standby unreachable for as long as failures count.
 */
const HEALTH_CHECKS = `	health_uri /healthz
	health_interval 2s
	health_timeout 5s
`;
/** If a server fails, requests that concern no business go to the next server for five seconds. */
const FAILURE_CHECKS = "\tfail_duration 5s\n";

function writeCaddyMap(servers: readonly MappedServer[], allAddresses: readonly string[]): string {
  // The times are short, so that a client gets the problem within a second even if neither a server
  // nor its standby runs. A connection that is kept open would hide for minutes that a machine is
  // off.
  const proxyTo = (matcher: string, addresses: readonly string[], checks: string) =>
    `reverse_proxy ${[matcher, ...addresses.map(hostAndPort)].filter(Boolean).join(" ")} {
	lb_policy first
	lb_try_duration 500ms
	lb_try_interval 50ms
${checks}	transport http {
		dial_timeout 400ms
		response_header_timeout 60s
		keepalive off
	}
}
`;
  const routes = servers.flatMap(({ name, businesses }) =>
    businesses.map((slug) => `\t${keyOf(slug)} ${name}\n`),
  );
  // A server without a standby needs no health checks, because it is always tried.
  const proxies = servers.map(
    ({ name, addresses }) =>
      `@deskbell_${name} vars {deskbell_server} ${name}\n${proxyTo(`@deskbell_${name}`, addresses, addresses.length > 1 ? HEALTH_CHECKS : "")}`,
  );
  const ofServers = servers.map(({ name }) => `\t/servers/${name} ${name}\n`);
  const prefixes = servers.map(
    ({ name }) => `uri /servers/${name}/v1/* strip_prefix /servers/${name}\n`,
  );
  return `${HEAD}map {http.request.orig_uri.path} {deskbell_slug} {
	~^/(?:v1/businesses|b)/([^/.]+) "\${1}"
	~^(/servers/[^/]+)/v1/ "\${1}"
	default ""
}
${MAP_HEAD.caddy}${routes.join("")}${ofServers.join("")}	default ""
}
${prefixes.join("")}@deskbell_unmapped {
	not vars {deskbell_slug} ""
	vars {deskbell_server} ""
}
error @deskbell_unmapped business_not_mapped 503
handle_errors {
	@deskbell_problem expression \`{http.error.status_code} in [502, 503, 504]\`
	header @deskbell_problem Content-Type application/problem+json
	header @deskbell_problem Retry-After ${RETRY_AFTER_SECONDS}
	@deskbell_not_mapped expression \`{http.error.message} == "business_not_mapped"\`
	respond @deskbell_not_mapped \`${NOT_MAPPED}\` 503
	respond @deskbell_problem \`${UNREACHABLE}\` 503
}
${proxies.join("")}${proxyTo("", allAddresses, FAILURE_CHECKS)}`;
}

function writeNginxMap(servers: readonly MappedServer[], allAddresses: readonly string[]): string {
  // After a failed connection to a server with a standby, nginx does not try the server for a
  // second. A standby is always tried (max_fails=0). A server without a standby is always tried,
  // too, because nginx ignores max_fails of the only server.
  const upstream = (name: string, [first = "", ...others]: readonly string[]) => `upstream ${name} {
    server ${hostAndPort(first)} max_fails=1 fail_timeout=1s;
${others.map((address) => `    server ${hostAndPort(address)} max_fails=0 backup;\n`).join("")}}
`;
  const routes = servers.flatMap(({ name, businesses }) =>
    businesses.map((slug) => `    ${keyOf(slug)} deskbell_${name};\n`),
  );
  const ofServers = servers.map(({ name }) => `    /servers/${name} deskbell_${name};\n`);
  const upstreams = servers.map(({ name, addresses }) => upstream(`deskbell_${name}`, addresses));
  const size = 2 ** Math.ceil(Math.log2(2 * Math.max(1, routes.length)));
  const hash = routes.length > MAX_DEFAULT_ROWS ? `map_hash_max_size ${size};\n` : "";
  return `${HEAD}${hash}${upstream("deskbell", allAddresses)}${upstreams.join("")}map $uri $deskbell_slug {
    ~^/(?:v1/businesses|b)/([^/.]+) $1;
    ~^(/servers/[^/]+)/v1/ $1;
}
${MAP_HEAD.nginx}    default "";
    "" deskbell;
${routes.join("")}${ofServers.join("")}}
map $deskbell_server $deskbell_problem {
    default '${UNREACHABLE}';
    "" '${NOT_MAPPED}';
}
`;
}
