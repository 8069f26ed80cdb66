import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Preset, readGuide } from "../../src/platform/assets.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../support/daemon.ts";
import {
  isProxyMissing,
  type Proxy,
  PROXY_NAMES,
  type ProxyName,
  type Response,
  runProxy,
} from "../support/proxies.ts";
import { createReceiver } from "../support/receiver.ts";
import { patient } from "../support/patience.ts";
import { WAITS } from "../support/waits.ts";

// Three servers with data folders of their own run behind proxies configured as in the guide.
// Partners know only the address of the proxy.

const TOPIC = "more-than-one-machine";
const PUBLIC_URL = "https://api.example.com";
const WAIT_SECONDS = process.env["PROOFS"] === "full" ? 25 : 1;

/** The servers, each with its business and a list that partners read. */
const SERVERS = [
  { name: "east", preset: "salon", slug: "salon-aurora", list: "services" },
  { name: "west", preset: "restaurant", slug: "cafe-lumen", list: "menu" },
  { name: "north", preset: "venue", slug: "kita-live", list: "events/catalog" },
] as const satisfies { name: string; preset: Preset; slug: string; list: string }[];

type StartedServer = (typeof SERVERS)[number] & {
  url: string;
  stop: () => Promise<void>;
  /** Runs a command on the data of the server and returns its output. */
  deskbell: (line: string) => Promise<string>;
};

async function startServer(
  server: (typeof SERVERS)[number],
  token: string,
): Promise<StartedServer> {
  const { dataDir, deskbell: run } = createTerminal();
  const deskbell = async (line: string): Promise<string> => {
    const result = await run(line);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };
  await deskbell(`seed ${server.preset}`);
  const flags = ["--public-url", PUBLIC_URL, "--trusted-proxy", "127.0.0.1"];
  const testing = ["--allow-http", "--allow-private", "127.0.0.0/8"];
  const daemon = spawnDaemon(dataDir, ...flags, "--metrics-token-file", token, ...testing);
  const stop = async () => {
    daemon.child.kill("SIGTERM");
    await daemon.waitForExit();
  };
  return { ...server, deskbell, stop, url: await waitForUrl(daemon) };
}

/** The server of this name has been replaced by its standby: nobody listens at its first address. */
const REPLACED = "west";
const first = (name: string): string => (name === REPLACED ? "http://127.0.0.1:2 " : "");

async function startServers() {
  const folder = createTempFolder();
  const [token, file] = [join(folder, "metrics.token"), join(folder, "servers.txt")];
  writeFileSync(token, "t0ken\n", { mode: 0o600 });
  const servers = await Promise.all(SERVERS.map((server) => startServer(server, token)));
  writeFileSync(file, servers.map(({ name, url }) => `${name} ${first(name)}${url}\n`).join(""));
  const { deskbell } = createTerminal();
  /** Runs the command of the guide that begins with this text, without its redirection. */
  const runFromGuide = (start: string) => {
    const line = readGuide(TOPIC)
      .split("\n")
      .find((text) => text.startsWith(`deskbell ${start}`));
    const [command = ""] = line?.slice("deskbell ".length).split(" > ") ?? [];
    return deskbell(command.replace("metrics.token", token).replace("servers.txt", file));
  };
  const start = async (name: ProxyName): Promise<Proxy> => {
    const map = join(folder, `${name}.map`);
    const printed = await runFromGuide(`proxy-map --format ${name}`);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(map, printed.stdout);
    return runProxy(name, TOPIC, `/etc/${name}/deskbell.map`, map);
  };
  return { servers, start, runFromGuide };
}

const available = PROXY_NAMES.filter((name) => !isProxyMissing(name));

test.skipIf(available.length === 0)(
  `behind ${available.join(" and ")}, partners of three servers need only the address of the proxy`,
  async () => {
    const { servers, start, runFromGuide } = await startServers();
    const [, , north] = servers as [StartedServer, StartedServer, StartedServer];
    const key = await createOnePartner(servers);
    const proxies: Proxy[] = [];
    for (const [i, name] of available.entries()) {
      const proxy = await start(name);
      proxies.push(proxy);
      await waitForStandby(proxy, servers);
      await Promise.all(
        servers.map((server) => expectIntegration(proxy, server, name, `2027-06-0${i + 1}`)),
      );
      await expectSharedPages(proxy, servers);
      await expectOnePartner(proxy, servers, key);
      await expectOwnLimits(proxy, servers, `127.0.0.${i + 2}`);
    }
    await north.stop();
    for (const proxy of proxies)
      expectProblem(await proxy.get(`/v1/businesses/${north.slug}/events`), "server_unreachable");
    const { stdout } = await runFromGuide("status --servers");
    expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual([
      ...SERVERS.map(({ name }) => name),
      "",
    ]);
  },
  patient(180_000),
);

/**
 * Waits until the proxy passes requests to the standby. Caddy learns from its first check, when it
 * starts, that only the standby responds.
 */
async function waitForStandby(proxy: Proxy, servers: readonly StartedServer[]): Promise<void> {
  const { slug } = servers.find(({ name }) => name === REPLACED)!;
  const path = `/v1/businesses/${slug}/webhooks`;
  const post = async () => (await proxy.get(path, { method: "POST", body: "{}" })).status;
  await expect.poll(post, WAITS).toBe(401);
}

/** Creates a partner of all businesses on each server, with the same key. */
async function createOnePartner([first, ...others]: readonly StartedServer[]): Promise<string> {
  const created = await first!.deskbell("partners create aggregator --all --json");
  const { secret, keyHash } = (JSON.parse(created) as { data: Record<string, string> }).data;
  for (const { deskbell } of others)
    await deskbell(`partners create aggregator --all --key-hash ${keyHash}`);
  return secret ?? "";
}

/** Reads the businesses and a list of each server with one key. Metrics are not served to partners. */
async function expectOnePartner(proxy: Proxy, servers: readonly StartedServer[], key: string) {
  const headers = { authorization: `Bearer ${key}` };
  for (const { name, slug, list } of servers) {
    const { status, body } = await proxy.get(`/servers/${name}/v1/businesses`, { headers });
    const slugs = (JSON.parse(body) as { data: { slug: string }[] }).data.map((one) => one.slug);
    expect([status, slugs]).toEqual([200, [slug]]);
    const read = await proxy.get(`/v1/businesses/${slug}/${list}`, { headers });
    expect(read.status).toBe(200);
    expect((await proxy.get(`/servers/${name}/metrics`)).status).toBe(404);
  }
}

/**
 * Does what `/docs` tells a new partner to do: reads a list, receives webhooks, follows changes.
 */
async function expectIntegration(
  proxy: Proxy,
  { slug, list, deskbell }: StartedServer,
  name: string,
  closedOn: string,
) {
  const key = await deskbell(`keys create --name ${name} --secret`);
  const base = `/v1/businesses/${slug}`;
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (path: string) => {
    const { status, body, headers: received } = await proxy.get(base + path, { headers });
    return { status, json: JSON.parse(body), link: received["link"] };
  };
  const read = await ask(`/${list}?limit=1`);
  expect([read.status, read.json.meta.business.slug]).toEqual([200, slug]);
  expect(read.link).toMatch(`<${PUBLIC_URL}${base}/${list}?`);

  const partner = await createReceiver();
  const endpoint = { name, url: partner.url, events: ["catalog.changed"] };
  const created = await proxy.get(`${base}/webhooks`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "idempotency-key": name },
    body: JSON.stringify(endpoint),
  });
  expect(created.status).toBe(201);
  expect(created.headers["location"]).toMatch(`${PUBLIC_URL}${base}/webhooks/whe_`);

  const { page } = (await ask("/changes?after=latest")).json;
  const quiet = await ask(`/changes?after=${page.nextCursor}&wait=${WAIT_SECONDS}`);
  expect([quiet.status, quiet.json.data]).toEqual([200, []]);
  const waiting = ask(`/changes?after=${page.nextCursor}&wait=25`);
  await deskbell(`closures create --name ${name} --date ${closedOn}`);
  const { json } = await waiting;
  expect(json.data.length).toBeGreaterThan(0);
  await partner.waitForRequests(1);
}

/** Checks the routes without a business, and the errors for a wrong one. */
async function expectSharedPages(proxy: Proxy, servers: readonly StartedServer[]) {
  for (const path of ["/docs", "/docs/mirror", "/openapi.json", "/llms.txt", "/healthz"])
    expect([path, (await proxy.get(path)).status]).toEqual([path, 200]);
  const [east, west] = servers as [StartedServer, StartedServer];
  const calendar = new URL(await west.deskbell(`calendars create --public-url ${PUBLIC_URL}`));
  expect((await proxy.get(calendar.pathname)).body).toMatch(/^BEGIN:VCALENDAR/);
  const key = await east.deskbell("keys create --name other --secret");
  const headers = { authorization: `Bearer ${key}` };
  const elsewhere = await proxy.get(`/v1/businesses/${west.slug}/menu`, { headers });
  expect(JSON.parse(elsewhere.body)).toMatchObject({ status: 401, code: "invalid_key" });
  // No server may see a request for a business that it does not know: it would call the key invalid.
  for (const path of ["/v1/businesses/no-such-shop/menu", "/b/no-such-shop/desk"])
    expectProblem(await proxy.get(path, { headers }), "business_not_mapped");
  for (const path of ["/metrics", "/metrics/status", "//metrics/status", "/x/../metrics/status"]) {
    const { status, body } = await proxy.get(path, { headers: { authorization: "Bearer t0ken" } });
    expect([path, status >= 400, body.includes(west.slug)]).toEqual([path, true, false]);
  }
}

/** Checks that a response is a problem document of the proxy itself. */
function expectProblem({ status, body, headers }: Response, code: string): void {
  expect([status, JSON.parse(body)]).toEqual([503, expect.objectContaining({ status: 503, code })]);
  expect(headers).toMatchObject({
    "content-type": "application/problem+json",
    "retry-after": "60",
  });
}

/**
 * Checks that the proxy passes on the client's real address, by which a server limits requests. A
 * client cannot escape the limit with an invented address.
 */
async function expectOwnLimits(proxy: Proxy, [east]: readonly StartedServer[], address: string) {
  const search = (i: number, localAddress: string) =>
    proxy.get(`/v1/businesses/${east?.slug}/availability?service=beard-trim&from=2027-01-04`, {
      localAddress,
      headers: { "x-forwarded-for": `203.0.113.${i}` },
    });
  const statuses: number[] = [];
  for (let i = 0; i < 61; i++) statuses.push((await search(i, address)).status);
  expect(statuses.findIndex((status) => status === 429)).toBe(60);
  expect((await search(0, "127.0.0.9")).status).toBeLessThan(429);
}
