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
/** Visits all endpoints in turn, but not neighbours: a prime that does not divide their number. */
const STRIDE = 7919;

type Member = { business: BusinessRow; endpoint: EndpointRow; number: number };
type Committed = { eventId: string; at: bigint; number: number };

/**
 * R6: the latency of healthy endpoints among many, with 30 % of the others hanging and with none.
 */
export async function benchManyEndpoints(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const crowd = await processes.startOnLoadCore([process.execPath, CROWD], /http:\S+/);
  const config = readConfig(
    { dataDir: join(processes.dir, "data"), allowHttp: true, allowPrivate: ["127.0.0.0/8"] },
    {},
  );
  const rt = openRuntime(config, 5000);
  const members = await subscribeCrowd(
    rt,
    (await (await fetch(`${crowd}ports`)).json()) as number[],
  );
  const worker = await startDeliveryWorker(config);
  const send = (count: number) => commitAt(rt, members, count, worker.wake);
  await send(WARM_UP);
  const noneHanging = await send(DELIVERIES);
  await (await fetch(`${crowd}hang/${HANGING_PERCENT}`)).text();
  const someHanging = await send(DELIVERIES);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = (await (await fetch(`${crowd}times`)).json()) as [string, string][];
  const receivedAt = new Map(times.map(([eventId, at]) => [eventId, BigInt(at)]));
  const [before, after] = [noneHanging, someHanging].map((committed) =>
    latenciesOf(committed.filter(isHealthy), receivedAt),
  ) as [number[], number[]];
  await worker.stop();
  rt.close();
  const format = (latencies: number[]) =>
    `p50 ${quantile(latencies, 0.5).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms`;
  return [
    {
      id: "R6",
      description: `${members.length} endpoints, 100 deliveries/s: healthy ones, with ${HANGING_PERCENT} % hanging and with none`,
      goal: "p99 <= 1.5",
      ours: format(after),
      peer: format(before),
      ratio: quantile(after, 0.99) / quantile(before, 0.99),
    },
  ];
}

const isHealthy = ({ number }: Committed): boolean => number % 100 >= HANGING_PERCENT;

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

/** Commits events for one endpoint after the other, each in its own transaction. */
async function commitAt(
  rt: Runtime,
  members: Member[],
  count: number,
  onCommit: () => void,
): Promise<Committed[]> {
  const all: Committed[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) {
    const { business, endpoint, number } = members[(i * STRIDE) % members.length]!;
    const { events } = rt.tx(() => appendEventFor(rt, business, EVENT, endpoint));
    all.push({ eventId: events[0]!.id, at: process.hrtime.bigint(), number });
    onCommit();
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, startedAt + (i + 1) * EVERY_MS - performance.now())),
    );
  }
  return all;
}

/** The times from commit to first byte in milliseconds, in ascending order. */
function latenciesOf(commits: Committed[], receivedAt: Map<string, bigint>): number[] {
  const latencies = commits.map(({ eventId, at }) => {
    const arrived = receivedAt.get(eventId);
    if (arrived === undefined) throw new Error(`${eventId} was not received.`);
    return Number(arrived - at) / 1e6;
  });
  return latencies.sort((a, b) => a - b);
}

const quantile = (sorted: number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
