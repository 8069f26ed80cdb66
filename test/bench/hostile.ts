import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadavg } from "node:os";
import { Client } from "undici";
import { createTestApp } from "../support/app.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createKey } from "../../src/app/keys.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { createLargeSalon } from "../support/large-salon.ts";
import { type Figure, times } from "./figure.ts";
import { BenchProcesses, BOTH_CORES } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const HOSTILE_CLIENTS = 20;
const SECONDS = 40;
const WARM_UP_MS = 5000;
const UNLIMITED = 1_000_000_000;
const ADDRESSES = 200_000;

const today = Temporal.Now.plainDateISO("Europe/Lisbon");
const dayAfter = (days: number) => today.add({ days }).toString();
const SALON = { people: 50, services: 8, firstDay: dayAfter(1), days: 62, bookings: 10_000 };

/** Measures response times of regular clients during an attack, and its cost in CPU and memory. */
export async function benchHostile(): Promise<Figure[]> {
  return [...(await benchScans()), ...(await benchAddresses())];
}

async function benchScans(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const { slug, services } = createLargeSalon(rt, SALON);
  const { secret } = createKey(rt, {
    businessId: getBusiness(rt, slug).id,
    name: "bench",
    kind: "SECRET",
    scopes: [],
    limitMinute: UNLIMITED,
    limitHour: UNLIMITED,
  });
  rt.close();
  const url = await processes.start(
    [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"],
    /(http:\/\/127\.0\.0\.1:\d+)/,
    // The daemon runs on both cores: on a single one, V8's threads would delay the server's thread.
    BOTH_CORES,
  );
  const base = `/v1/businesses/${slug}`;
  // Returns the path of the largest query allowed. Time zones vary, so that responses are not
  // cached.
  const worst = (i: number) =>
    `${base}/availability?serviceIds=${services.join(",")}&from=${dayAfter(1)}&to=${dayAfter(62)}&granularity=days&timezone=${zones[i % zones.length]}`;
  const zones = Intl.supportedValuesOf("timeZone");
  let ends = performance.now() + SECONDS * 1000;
  const statuses = new Map<number, number>();

  const attack = async (client: number, connections: number): Promise<void> => {
    const clients = Array.from(
      { length: connections },
      () => new Client(url, { localAddress: `127.0.0.${100 + client}` }),
    );
    await Promise.all(
      clients.map(async (connection, c) => {
        for (let i = 0; performance.now() < ends; i++) {
          const path = worst(client * 20 + c * 7 + i);
          const { statusCode } = await send(connection, path);
          statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
          if (statusCode === 429) await pause(1000);
        }
        await connection.destroy();
      }),
    );
  };
  // The first seconds are not measured, because the code of a new daemon is not compiled yet.
  const measure = async (
    everyMs: number,
    addresses: string[],
    path: () => string,
    key?: string,
  ): Promise<string> => {
    const clients = addresses.map((localAddress) => new Client(url, { localAddress }));
    await pause(WARM_UP_MS);
    const tookMs: number[] = [];
    const cpuMs: number[] = [];
    const codes = new Set<number>();
    for (let i = 0; performance.now() < ends; i++) {
      const client = clients[i % clients.length] as Client;
      const startedAt = performance.now();
      const cpuBefore = processes.cpuMs(url);
      codes.add((await send(client, path(), key)).statusCode);
      tookMs.push(performance.now() - startedAt);
      cpuMs.push(processes.cpuMs(url) - cpuBefore);
      await pause(everyMs);
    }
    await Promise.all(clients.map((client) => client.destroy()));
    return `${times(tookMs)}; CPU of the daemon meanwhile ${times(cpuMs)}; statuses ${[...codes].join(", ")}`;
  };

  let asked = 0;
  const widget = () =>
    `${base}/availability?serviceId=${services[asked++ % 8]}&from=${dayAfter(1 + (asked % 30))}&to=${dayAfter(7 + (asked % 30))}`;
  await send(new Client(url), widget());
  const cpuBefore = processes.cpuMs(url);
  const startedAt = performance.now();
  const attacks = Array.from({ length: HOSTILE_CLIENTS }, (_, i) => attack(i, 4));
  const [visitor, keyed] = await Promise.all([
    measure(400, ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"], widget),
    measure(20, ["127.0.0.6"], () => `${base}/staff`, secret),
  ]);
  await Promise.all(attacks);
  const cpu = (processes.cpuMs(url) - cpuBefore) / (performance.now() - startedAt);

  ends = performance.now() + 10_000;
  const aloneBefore = processes.cpuMs(url);
  const aloneAt = performance.now();
  const [, aloneKeyed] = await Promise.all([
    attack(50, 4),
    measure(20, ["127.0.0.6"], () => `${base}/staff`, secret),
  ]);
  const alone = (processes.cpuMs(url) - aloneBefore) / (performance.now() - aloneAt);
  const counts = [...statuses].map(([code, count]) => `${count} x ${code}`).join(", ");
  const load = `load ${loadavg()[0]?.toFixed(1)}`;
  return [
    figure(
      `availability for a visitor during ${HOSTILE_CLIENTS} attacks (${counts}; ${load})`,
      visitor,
      "p99 <= 500 ms, no 503",
    ),
    figure("keyed cached GET meanwhile", `${keyed}; ${share(cpu)}`, "p99 <= 25 ms"),
    figure(
      "one attacking address alone, with a keyed GET every 20 ms",
      `${share(alone)}; GET ${aloneKeyed}`,
      "half a core for scans",
    ),
  ];
}

/** Measures one request each from 200,000 addresses of 2,000 networks, without sockets. */
async function benchAddresses(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir, trustedProxies: ["127.0.0.1"] }, {}), 5000);
  const app = createTestApp(rt);
  const ask = async (i: number) => {
    const address = `2001:db8:${(i % 2000).toString(16)}:${Math.floor(i / 2000).toString(16)}::1`;
    const headers = { "x-forwarded-for": address };
    await (await app.request("/v1/businesses/none/availability", { headers })).arrayBuffer();
  };
  for (let i = 0; i < 2000; i++) await ask(i);
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const memoryMb = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const memoryBefore = memoryMb();
  const cpuPerRequest: number[] = [];
  for (let i = 2000; i < ADDRESSES;) {
    const before = process.threadCpuUsage();
    const from = i;
    for (; i < Math.min(from + 20_000, ADDRESSES); i++) await ask(i);
    const { user, system } = process.threadCpuUsage(before);
    cpuPerRequest.push((user + system) / (i - from));
  }
  const startedAt = performance.now();
  app.flush();
  const flushMs = performance.now() - startedAt;
  const rows = rt.store.rateCounts.list().length;
  const grownMb = memoryMb() - memoryBefore;
  rt.close();
  return [
    figure(
      `${ADDRESSES} IPv6 addresses with a request each`,
      `CPU ${cpuPerRequest[0]?.toFixed(0)} us per request at first, ${cpuPerRequest.at(-1)?.toFixed(0)} us at last; ${grownMb.toFixed(0)} MB; ${rows} rows saved in ${flushMs.toFixed(0)} ms`,
      "constant, <= 50 MB",
    ),
  ];
}

async function send(client: Client, path: string, key?: string): Promise<{ statusCode: number }> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const { statusCode, body } = await client.request({ method: "GET", path, headers });
  await body.dump({ limit: 32 * 2 ** 20 });
  return { statusCode };
}

const figure = (what: string, ours: string, goal: string): Figure => ({
  id: "hostile",
  description: what,
  ours,
  peer: null,
  ratio: null,
  goal,
});

const share = (cores: number): string => `${(100 * cores).toFixed(0)} % of a core`;
