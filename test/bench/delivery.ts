import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { appendEvents } from "../../src/app/events.ts";
import { type RunningCourier, startCourier } from "../../src/courier/start.ts";
import { type CourierStage, EVENT, openCourierStage } from "./courier-stage.ts";
import { type Figure, perSecond, race } from "./figure.ts";
import { requireTools, Stage } from "./processes.ts";

const SINK = join(import.meta.dirname, "peers/sink.ts");
const BARE = new URL("peers/bare-sender.ts", import.meta.url);
const EVENTS = 2000;
const ENDPOINTS = 10;
const TOTAL = EVENTS * ENDPOINTS;
const CONCURRENCY = 64;
const ROUNDS = 3;

/** S5: 20,000 durable deliveries of 2 KB, synchronous=FULL, against bare undici.request with nothing kept. */
export async function benchDelivery(): Promise<Figure[]> {
  requireTools("taskset");
  await using stage = new Stage();
  const sink = await stage.startOnLoadCore([process.execPath, SINK], /http:\S+/);
  let round = 0;
  const result = await race(
    ROUNDS,
    () => drain(join(stage.dir, String(round++)), sink),
    () => postBare(sink),
  );
  const what = "20,000 deliveries, durable, 2 KB";
  return [
    {
      id: "S5",
      what,
      goal: ">= 0.50",
      ours: perSecond(result.ours),
      peer: perSecond(result.peer),
      ratio: result.ratio,
    },
  ];
}

async function drain(dataDir: string, sink: string): Promise<number> {
  const stage = await openCourierStage(dataDir, sink, ENDPOINTS, Math.floor(CONCURRENCY / ENDPOINTS));
  const courier = await startCourier(stage.config);
  // Each side runs in a thread of its own, and code that has run for a while.
  await drainEvents(stage, courier, EVENTS);
  await fetch(`${sink}reset`);
  const elapsedMs = await drainEvents(stage, courier, EVENTS);
  await courier.stop();
  stage.rt.close();
  const arrived = Number(await (await fetch(`${sink}count`)).text());
  if (arrived !== TOTAL) throw new Error(`${arrived} of ${TOTAL} arrived.`);
  return (TOTAL / elapsedMs) * 1000;
}

/** From the commit of the events until the outcome of each delivery is on the disk. */
async function drainEvents({ rt, business }: CourierStage, courier: RunningCourier, count: number): Promise<number> {
  const drafts = Array.from({ length: count }, () => EVENT);
  const delivered = () => rt.store.tallies.counts().DELIVERED ?? 0;
  const goal = delivered() + count * ENDPOINTS;
  rt.tx(() => appendEvents(rt, business, drafts));
  const startedAt = performance.now();
  courier.wake();
  while (delivered() < goal) await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - startedAt;
}

async function postBare(sink: string): Promise<number> {
  const workerData = { url: `${sink}0`, total: TOTAL, concurrency: CONCURRENCY };
  const [elapsedMs] = (await once(new Worker(BARE, { workerData }), "message")) as [number];
  return (TOTAL / elapsedMs) * 1000;
}
