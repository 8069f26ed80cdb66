import { join } from "node:path";
import { Client } from "undici";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { editObject } from "../../src/app/catalog/changes/edit-object.ts";
import { createKey } from "../../src/app/keys.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { BIN } from "../support/program.ts";
import { compareInTurns, type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const SLUG = "bench";
const SERVICES = 100;
const REQUESTS = 4000;
const CONNECTIONS = 8;
const ADDRESSES = 200;
const ROUNDS = 5;
const BUILDS = 100;
const LIMIT = 1_000_000_000;

const CATALOG = JSON.stringify({
  catalog: 1,
  business: {
    slug: SLUG,
    name: "Bench",
    timezone: "Europe/Zurich",
    currency: "CHF",
    legal: { privacyUrl: "https://bench.example/p", imprint: "Bench" },
    publicPage: { enabled: true },
  },
  hours: [{ days: "mon-fri", start: "09:00", end: "18:00" }],
  services: Array.from({ length: SERVICES }, (_, i) => ({
    key: `service-${i}`,
    name: `Service number ${i}`,
    description: "A service of thirty minutes.",
    durationMin: 30,
    price: "35.00",
  })),
});

/**
 * Compares the CPU time of a cached page with that of a cached API response, and measures the time
 * of building a page of 100 services.
 */
export async function benchPages(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  applyCatalog(rt, [{ name: "bench.json", text: CATALOG }]);
  const { secret } = createKey(rt, {
    businessId: businessId(SLUG),
    name: "bench",
    kind: "SECRET",
    scopes: [],
    limitMinute: LIMIT,
    limitHour: LIMIT,
  });
  // The requests come from many addresses, because each address may send only 600 requests a
  // minute.
  const daemon = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(
    [...daemon, "--trusted-proxy", "127.0.0.1"],
    /(http:\/\/127\.0\.0\.1:\d+)/,
  );
  const measure = async (path: string, headers: Record<string, string>): Promise<number> => {
    const before = processes.cpuMs(url);
    await sendAll(url, path, headers);
    return ((processes.cpuMs(url) - before) * 1000) / REQUESTS;
  };
  const page = () => measure(`/b/${SLUG}/services`, { "accept-language": "de" });
  const api = () =>
    measure(`/v1/businesses/${SLUG}/services`, { authorization: `Bearer ${secret}` });
  const building = await measureBuilding(rt, url, () => processes.cpuMs(url));
  rt.close();
  await page();
  await api();
  const cpu = await compareInTurns(ROUNDS, page, api);
  return [
    {
      id: "pages",
      description: "cached page: CPU time per request",
      goal: "<= 1.1",
      ours: `${cpu.ours.toFixed(1)} us`,
      peer: `${cpu.peer.toFixed(1)} us`,
      ratio: cpu.ratio,
    },
    building,
  ];
}

let sent = 0;

/** Sends requests over several connections, from all addresses in turns. */
async function sendAll(url: string, path: string, headers: Record<string, string>): Promise<void> {
  const send = async () => {
    const client = new Client(url);
    for (let i = 0; i < REQUESTS / CONNECTIONS; i++) {
      const address = `10.0.0.${(sent = (sent + 1) % ADDRESSES)}`;
      const response = await client.request({
        method: "GET",
        path,
        headers: { ...headers, "x-forwarded-for": address },
      });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`${path}: HTTP ${response.statusCode}`);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

/** Changes a price from another process and asks for the page, in turns. */
async function measureBuilding(rt: Runtime, url: string, readCpuMs: () => number): Promise<Figure> {
  const client = new Client(url);
  const tookMs: number[] = [];
  for (let i = 0; i < BUILDS; i++) {
    editObject(rt, SLUG, "service", "service-0", (doc) => ({ ...doc, priceCents: 3500 + i }));
    const before = readCpuMs();
    const path = `/b/${SLUG}/services`;
    const headers = { "x-forwarded-for": `10.255.0.${i % 250}` };
    const response = await client.request({ method: "GET", path, headers });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
    tookMs.push(readCpuMs() - before);
  }
  await client.close();
  return {
    id: "pages",
    description: `page of ${SERVICES} services after a change: CPU time`,
    goal: "< 5 ms",
    ours: `${median(tookMs).toFixed(1)} ms`,
    peer: null,
    ratio: null,
  };
}
