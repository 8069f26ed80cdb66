import { join } from "node:path";
import { appendEvents } from "../../../src/app/events.ts";
import { startDeliveryWorker } from "../../../src/delivery/start.ts";
import { EVENT, openDeliveryBench } from "../delivery-bench.ts";

// Runs our delivery worker in a process of its own: sends deliveries to a sink, from the commit of
// their events until all outcomes are on disk. Prints the milliseconds and the CPU time of the last
// run, after warm-up runs.

const [sink = "", dataDir = "", total = "", concurrency = "", warmUps = ""] = process.argv.slice(2);
const ENDPOINTS = 10;

const { config, rt, business } = await openDeliveryBench(
  join(dataDir, "data"),
  sink,
  ENDPOINTS,
  Math.floor(Number(concurrency) / ENDPOINTS),
);
const worker = await startDeliveryWorker(config);
const drafts = Array.from({ length: Number(total) / ENDPOINTS }, () => EVENT);
const delivered = () => rt.store.tallies.countByStatus().DELIVERED ?? 0;

/**
 * Returns the milliseconds and the CPU time of sending the deliveries. Storing the deliveries is
 * not counted, just as it is not counted for the peers.
 */
async function drain(): Promise<{ tookMs: number; cpuMs: number }> {
  const goal = delivered() + Number(total);
  rt.tx(() => appendEvents(rt, business, drafts));
  const [before, startedAt] = [process.cpuUsage(), performance.now()];
  worker.wake();
  // Each wait is a millisecond per 100 remaining deliveries, because the worker cannot send faster
  // than that.
  for (let left = Number(total); left > 0; left = goal - delivered())
    await new Promise((resolve) => setTimeout(resolve, left / 100));
  const { user, system } = process.cpuUsage(before);
  return { tookMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

for (let i = 0; i < Number(warmUps); i++) await drain();
await fetch(`${sink}reset`);
const { tookMs, cpuMs } = await drain();
const received = Number(await (await fetch(`${sink}count`)).text());
if (received !== Number(total))
  throw new Error(`Only ${received} of ${total} deliveries were received.`);
console.log(`took ${tookMs} ms, ${cpuMs} ms CPU`);
await worker.stop();
rt.close();
