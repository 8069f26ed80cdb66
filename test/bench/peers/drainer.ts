import { join } from "node:path";
import { appendEvents } from "../../../src/app/events.ts";
import { startDeliveryWorker } from "../../../src/delivery/start.ts";
import { EVENT, openDeliveryBench } from "../delivery-bench.ts";

// Ours, in a process of its own: drains deliveries to a sink, from the commit of their events until the outcome of each is on the
// disk. Tells how many milliseconds the last drain took, after some that are not counted.

const [sink = "", dataDir = "", total = "", concurrency = "", warmUps = ""] = process.argv.slice(2);
const ENDPOINTS = 10;

const { config, rt, business } = await openDeliveryBench(
  join(dataDir, "data"),
  sink,
  ENDPOINTS,
  Math.floor(Number(concurrency) / ENDPOINTS),
);
const courier = await startDeliveryWorker(config);
const drafts = Array.from({ length: Number(total) / ENDPOINTS }, () => EVENT);
const delivered = () => rt.store.tallies.countByStatus().DELIVERED ?? 0;

async function drain(): Promise<number> {
  const goal = delivered() + Number(total);
  rt.tx(() => appendEvents(rt, business, drafts));
  const startedAt = performance.now();
  courier.wake();
  // So many go out in a millisecond at the very most: to ask more often would be work that no daemon does.
  for (let left = Number(total); left > 0; left = goal - delivered())
    await new Promise((resolve) => setTimeout(resolve, left / 100));
  return performance.now() - startedAt;
}

for (let i = 0; i < Number(warmUps); i++) await drain();
await fetch(`${sink}reset`);
const elapsedMs = await drain();
const arrived = Number(await (await fetch(`${sink}count`)).text());
if (arrived !== Number(total)) throw new Error(`${arrived} of ${total} arrived.`);
console.log(`took ${elapsedMs} ms`);
await courier.stop();
rt.close();
