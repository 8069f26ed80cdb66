import { join } from "node:path";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createEndpoint, MAX_ENDPOINTS } from "../../src/app/webhooks/endpoints.ts";
import { appendEventFor } from "../../src/app/events.ts";
import { readConfig } from "../../src/config.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import type { BusinessRow } from "../../src/store/businesses.ts";
import type { EndpointRow } from "../../src/store/endpoints.ts";
import { EVENT } from "./delivery-bench.ts";
import type { Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const CROWD = join(import.meta.dirname, "peers/crowd.ts");
const BUSINESSES = 40;
const HANGING_PERCENT = 30;
const EVERY_MS = 10;
const WARM_UP = 1000;
const DELIVERIES = 4000;
/** Far from each other in turn, and prime to their number. */
const STRIDE = 7919;

type Member = { business: BusinessRow; endpoint: EndpointRow; number: number };
type Committed = { eventId: string; at: bigint; number: number };

/** R6: a crowd of endpoints at 100 deliveries a second; how long those wait that answer, when all do and when a third hangs. */
export async function benchManyEndpoints(): Promise<Figure[]> {
  await using stage = new BenchProcesses();
  const crowd = await stage.startOnLoadCore([process.execPath, CROWD], /http:\S+/);
  const config = readConfig(
    { dataDir: join(stage.dir, "data"), allowHttp: true, allowPrivate: ["127.0.0.0/8"] },
    {},
  );
  const rt = openRuntime(config, 5000);
  const members = await subscribeCrowd(
    rt,
    (await (await fetch(`${crowd}ports`)).json()) as number[],
  );
  const courier = await startDeliveryWorker(config);
  const send = (count: number) => commitAt(rt, members, count, courier.wake);
  await send(WARM_UP);
  const allWell = await send(DELIVERIES);
  await (await fetch(`${crowd}hang/${HANGING_PERCENT}`)).text();
  const someHang = await send(DELIVERIES);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = (await (await fetch(`${crowd}times`)).json()) as [string, string][];
  const arrivedAt = new Map(times.map(([eventId, at]) => [eventId, BigInt(at)]));
  const [before, after] = [allWell, someHang].map((committed) =>
    waitsOf(committed.filter(isWell), arrivedAt),
  ) as [number[], number[]];
  await courier.stop();
  rt.close();
  const inWords = (waits: number[]) =>
    `p50 ${quantile(waits, 0.5).toFixed(2)} ms, p99 ${quantile(waits, 0.99).toFixed(2)} ms`;
  return [
    {
      id: "R6",
      what: `${members.length} endpoints, 100 deliveries/s: those that answer, with ${HANGING_PERCENT} % hanging and with none`,
      goal: "p99 <= 1.5",
      ours: inWords(after),
      peer: inWords(before),
      ratio: quantile(after, 0.99) / quantile(before, 0.99),
    },
  ];
}

const isWell = ({ number }: Committed): boolean => number % 100 >= HANGING_PERCENT;

async function subscribeCrowd(rt: Runtime, ports: number[]): Promise<Member[]> {
  const members: Member[] = [];
  for (let b = 0; b < BUSINESSES; b++) {
    const slug = `business-${b}`;
    const doc = { slug, name: slug, timezone: "Europe/Zurich", currency: "CHF" };
    applyCatalog(rt, [{ name: slug, text: JSON.stringify({ catalog: 1, business: doc }) }]);
    const business = getBusiness(rt, slug);
    for (let e = 0; e < MAX_ENDPOINTS; e++) {
      const number = members.length;
      const request = {
        businessId: business.id,
        keyId: null,
        name: `receiver ${number}`,
        events: ["service.updated"],
      };
      const url = `http://127.0.0.1:${ports[number % ports.length]}/${number}`;
      const { endpoint } = await createEndpoint(rt, { ...request, url, allowPrivate: true });
      members.push({ business, endpoint, number });
    }
  }
  return members;
}

/** One event for one endpoint after the other, each in a transaction of its own. */
async function commitAt(
  rt: Runtime,
  members: Member[],
  count: number,
  committed: () => void,
): Promise<Committed[]> {
  const all: Committed[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) {
    const { business, endpoint, number } = members[(i * STRIDE) % members.length]!;
    const { events } = rt.tx(() => appendEventFor(rt, business, EVENT, endpoint));
    all.push({ eventId: events[0]!.id, at: process.hrtime.bigint(), number });
    committed();
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, startedAt + (i + 1) * EVERY_MS - performance.now())),
    );
  }
  return all;
}

/** From commit to first byte in milliseconds, the shortest first. */
function waitsOf(committed: Committed[], arrivedAt: Map<string, bigint>): number[] {
  const waits = committed.map(({ eventId, at }) => {
    const arrived = arrivedAt.get(eventId);
    if (arrived === undefined) throw new Error(`${eventId} has not arrived.`);
    return Number(arrived - at) / 1e6;
  });
  return waits.sort((a, b) => a - b);
}

const quantile = (sorted: number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
