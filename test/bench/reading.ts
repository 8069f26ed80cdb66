import { join } from "node:path";
import { Client } from "undici";
import { appendEvents } from "../../src/app/events.ts";
import { createKey } from "../../src/app/keys.ts";
import { EVENT, openDeliveryBench } from "./delivery-bench.ts";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const SINK = join(import.meta.dirname, "peers/sink.ts");
const EVENTS = 5000;
const ENDPOINTS = 10;
const ROUNDS = 3;
const LIMIT = 1_000_000_000;

/**
 * Measures S8: the time of a cached GET while the delivery worker drains a backlog, against an idle
 * daemon.
 */
export async function benchReading(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const sink = await processes.startOnLoadCore([process.execPath, SINK], /http:\S+/);
  const dataDir = join(processes.dir, "data");
  const { rt, business } = await openDeliveryBench(dataDir, sink, ENDPOINTS);
  const limits = { limitMinute: LIMIT, limitHour: LIMIT };
  const { secret } = createKey(rt, {
    businessId: business.id,
    name: "bench",
    kind: "SECRET",
    scopes: [],
    ...limits,
  });
  const daemon = [
    process.execPath,
    BIN,
    "--data-dir",
    dataDir,
    "serve",
    "--port",
    "0",
    "--allow-http",
  ];
  // The daemon runs on both cores, which shows whether the delivery thread delays the HTTP thread.
  const url = await processes.start(daemon, /(http:\/\/127\.0\.0\.1:\d+)/, "0,1");
  const client = new Client(url);
  const delivered = () => rt.store.tallies.countByStatus().DELIVERED ?? 0;
  const get = async () => {
    const startedAt = performance.now();
    const path = `/v1/businesses/${business.slug}/services?includeVariants=true`;
    const answer = await client.request({
      method: "GET",
      path,
      headers: { authorization: `Bearer ${secret}` },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
    return performance.now() - startedAt;
  };
  /** Sends one GET after the other while `isActive`. Returns the median time. */
  const getWhile = async (isActive: () => boolean) => {
    const tookMs: number[] = [];
    while (isActive()) {
      tookMs.push(await get());
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return median(tookMs);
  };

  for (let i = 0; i < 2000; i++) await get();
  const pairs: { idle: number; busy: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const until = performance.now() + 2000;
    const idle = await getWhile(() => performance.now() < until);
    const goal = delivered() + EVENTS * ENDPOINTS;
    const drafts = Array.from({ length: EVENTS }, () => EVENT);
    rt.tx(() => appendEvents(rt, business, drafts));
    pairs.push({ idle, busy: await getWhile(() => delivered() < goal) });
  }
  await client.close();
  rt.close();
  const ms = (values: number[]) => `p50 ${median(values).toFixed(3)} ms`;
  return [
    {
      id: "S8",
      description: "cached GET during a drain of deliveries, against an idle daemon",
      goal: "<= 2",
      ours: ms(pairs.map(({ busy }) => busy)),
      peer: ms(pairs.map(({ idle }) => idle)),
      ratio: median(pairs.map(({ idle, busy }) => busy / idle)),
    },
  ];
}
