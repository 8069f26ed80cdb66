import { join } from "node:path";
import { Client } from "undici";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { createKey } from "../../src/app/keys.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { generateCatalog } from "../../src/features/samples/generate.ts";
import { readConfig } from "../../src/config.ts";
import { type Figure, median, perSecond } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BUSINESSES = 10_000;
const FEW = 200;
const OBJECTS = 30;
const PER_TRANSACTION = 100;
const ROUNDS = 5;
const LIMIT = 1_000_000_000;

type Target = { path: string; secret: string };

/**
 * Measures S14: lists of 10,000 businesses, read in turn, against as many reads of 200 businesses.
 */
export async function benchManyBusinesses(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const targets = seedBusinesses(dataDir);
  const command = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(command, /(http:\/\/127\.0\.0\.1:\d+)/);
  const client = new Client(url);
  const few = targets.slice(0, FEW);
  const repeatedFew = Array.from({ length: BUSINESSES / FEW }, () => few).flat();
  // The first reads build the responses and warm up the server.
  await readInTurn(client, targets);
  const rounds: { all: number[]; few: number[]; cpuMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const fewMs = await readInTurn(client, repeatedFew);
    const before = processes.cpuMs(url);
    const allMs = await readInTurn(client, targets);
    rounds.push({ all: allMs, few: fewMs, cpuMs: processes.cpuMs(url) - before });
  }
  await client.close();
  const id = "S14";
  const p50Of = (values: number[][]) => median(values.map((ms) => quantile(ms, 0.5)));
  const all = p50Of(rounds.map((round) => round.all));
  const reference = p50Of(rounds.map((round) => round.few));
  const absolute = (description: string, ours: string, goal: string): Figure => ({
    id,
    description: `${BUSINESSES.toLocaleString("en")} businesses in turn: ${description}`,
    ours,
    peer: null,
    ratio: null,
    goal,
  });
  return [
    {
      id,
      description: `GET of ${BUSINESSES.toLocaleString("en")} businesses in turn, against ${FEW}: p50`,
      ours: `${all.toFixed(3)} ms`,
      peer: `${reference.toFixed(3)} ms`,
      ratio: all / reference,
      goal: "<= 2",
    },
    absolute(
      "p99",
      `${median(rounds.map((round) => quantile(round.all, 0.99))).toFixed(2)} ms`,
      "<= 25 ms",
    ),
    absolute(
      "requests per second of CPU time",
      perSecond(median(rounds.map(({ cpuMs }) => (BUSINESSES * 1000) / cpuMs))),
      ">= 2,000/s",
    ),
    absolute("anonymous memory", `${processes.ownMemoryMb(url).toFixed(0)} MB`, "<= 250 MB"),
  ];
}

function seedBusinesses(dataDir: string): Target[] {
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const seedOne = (i: number): Target => {
    const catalog = generateCatalog(OBJECTS, i + 1);
    const slug = `business-${i}`;
    const text = JSON.stringify({ ...catalog, business: { ...catalog.business, slug } });
    applyCatalog(rt, [{ name: "generated.json", text }], { seedingAt: rt.now() });
    const { secret } = createKey(rt, {
      businessId: rt.store.businesses.findBySlug(slug)?.id ?? "",
      name: "bench",
      kind: "SECRET",
      scopes: [],
      limitMinute: LIMIT,
      limitHour: LIMIT,
    });
    return { path: `/v1/businesses/${slug}/services?includeVariants=true`, secret };
  };
  const targets: Target[] = [];
  while (targets.length < BUSINESSES)
    rt.tx(() => {
      for (let n = 0; n < PER_TRANSACTION; n++) targets.push(seedOne(targets.length));
    });
  rt.close();
  return targets;
}

/** Sends one GET after the other. Returns the time of each in milliseconds. */
async function readInTurn(client: Client, targets: readonly Target[]): Promise<number[]> {
  const tookMs: number[] = [];
  for (const { path, secret } of targets) {
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${secret}` };
    const response = await client.request({ method: "GET", path, headers });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs;
}

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
