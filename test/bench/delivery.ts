import { join } from "node:path";
import { Agent, request } from "undici";
import { createEndpoint } from "../../src/app/endpoints.ts";
import { appendEvents } from "../../src/app/events.ts";
import { applyCatalog, requireBusiness } from "../../src/app/catalog.ts";
import { readConfig } from "../../src/config.ts";
import { startCourier } from "../../src/courier/start.ts";
import { openRuntime } from "../../src/runtime.ts";
import { type Figure, perSecond, race } from "./figure.ts";
import { requireTools, Stage } from "./processes.ts";

const SINK = join(import.meta.dirname, "peers/sink.ts");
const EVENTS = 2000;
const ENDPOINTS = 10;
const TOTAL = EVENTS * ENDPOINTS;
const CONCURRENCY = 64;
const ROUNDS = 3;
const TEXT = "x".repeat(1500);

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
  const config = readConfig({ dataDir, allowHttp: true, allowPrivate: ["127.0.0.0/8"] }, {});
  const rt = openRuntime(config, 5000);
  const business = { slug: "bench", name: "Bench", timezone: "Europe/Zurich", currency: "CHF" };
  applyCatalog(rt, [{ name: "bench", text: JSON.stringify({ catalog: 1, business }) }]);
  const row = requireBusiness(rt, "bench");
  for (let i = 0; i < ENDPOINTS; i++)
    await createEndpoint(rt, {
      businessId: row.id,
      keyId: null,
      name: `sink ${i}`,
      url: `${sink}${i}`,
      events: ["service.updated"],
      allowPrivate: true,
    });
  const draft = {
    type: "service.updated" as const,
    resource: { type: "service", id: "svc_1", ids: ["svc_1"] },
    changed: ["price"],
    object: { id: "svc_1", description: TEXT },
  };
  rt.tx(() =>
    appendEvents(
      rt,
      row,
      Array.from({ length: EVENTS }, () => draft),
    ),
  );
  await fetch(`${sink}reset`);
  const startedAt = performance.now();
  const courier = await startCourier(config);
  await reached(sink, TOTAL);
  await courier.stop();
  const elapsedMs = performance.now() - startedAt;
  const delivered = rt.store.deliveries.list({ businessId: row.id, status: "PENDING" }, 1);
  if (delivered.length > 0) throw new Error("Not everything was settled.");
  rt.close();
  return (TOTAL / elapsedMs) * 1000;
}

async function reached(sink: string, count: number): Promise<void> {
  while (Number(await (await fetch(`${sink}count`)).text()) < count)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

async function postBare(sink: string): Promise<number> {
  const dispatcher = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const body = Buffer.from(JSON.stringify({ description: TEXT.padEnd(2000, "x") }));
  const startedAt = performance.now();
  let left = TOTAL;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) {
        const answer = await request(`${sink}0`, {
          dispatcher,
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        await answer.body.dump();
      }
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  await dispatcher.close();
  return (TOTAL / elapsedMs) * 1000;
}
