import { join } from "node:path";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createEndpoint, MAX_ENDPOINTS } from "../../src/app/webhooks/endpoints.ts";
import { appendEventFor } from "../../src/app/events.ts";
import { readConfig } from "../../src/config.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import type { BusinessRow } from "../../src/store/businesses.ts";
import type { EndpointRow } from "../../src/store/webhooks/endpoints.ts";
import { EVENT } from "./delivery-bench.ts";
import type { Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const CROWD = join(import.meta.dirname, "peers/crowd.ts");
/**
 * The distance between the endpoints of successive events. The prime divides none of the numbers of
 * endpoints in this file, so every endpoint is reached.
 */
const STRIDE = 7919;
const ENDPOINTS = 2000;
const HANGING_PERCENT = 30;
const WARM_UP = 1000;
const DELIVERIES = 4000;
const RATE: Rate = { everyMs: 10, perCommit: 1 };
const SLOW = {
  endpoints: 10_000,
  few: 200,
  responseMs: 200,
  deadPercent: 5,
  warmUp: 15_000,
  deliveries: 20_000,
  rate: { everyMs: 10, perCommit: 10 } satisfies Rate,
};

type Member = { business: BusinessRow; endpoint: EndpointRow; number: number };
type Committed = { eventId: string; at: bigint; number: number };
type Rate = { everyMs: number; perCommit: number };

/**
 * Measures R6: the latency of healthy endpoints while 30 % of all endpoints hang, and while none
 * does.
 */
export async function benchManyEndpoints(): Promise<Figure[]> {
  await using crowd = await openCrowd(ENDPOINTS);
  const { members } = crowd;
  await crowd.send(members, WARM_UP, RATE);
  const noneHanging = await crowd.send(members, DELIVERIES, RATE);
  await crowd.control(`hang/${HANGING_PERCENT}`);
  const someHanging = await crowd.send(members, DELIVERIES, RATE);
  const isHealthy = ({ number }: Committed): boolean => number % 100 >= HANGING_PERCENT;
  const before = await crowd.latenciesOf(noneHanging.commits.filter(isHealthy));
  const after = await crowd.latenciesOf(someHanging.commits.filter(isHealthy));
  return [
    {
      id: "R6",
      description: `${members.length} endpoints, 100 deliveries/s: healthy ones, with ${HANGING_PERCENT} % hanging and with none`,
      goal: "p99 <= 1.5",
      ours: formatLatencies(after),
      peer: formatLatencies(before),
      ratio: quantile(after, 0.99) / quantile(before, 0.99),
    },
  ];
}

/**
 * Measures S15: deliveries to 10,000 endpoints, each on its own port, against deliveries to 200 of
 * them at the same rate. 95 % of the endpoints respond after 200 ms, and 5 % never respond.
 */
export async function benchSlowEndpoints(): Promise<Figure[]> {
  const { endpoints, few, responseMs, deadPercent, warmUp, deliveries, rate } = SLOW;
  await using crowd = await openCrowd(endpoints, endpoints, 5000);
  await crowd.control(`delay/${responseMs}`);
  await crowd.control(`hang/${deadPercent}`);
  const measure = async (members: readonly Member[]) => {
    await crowd.send(members, warmUp, rate);
    return crowd.send(members, deliveries, rate);
  };
  const reference = await measure(crowd.members.slice(0, few));
  const all = await measure(crowd.members);
  const isHealthy = ({ number }: Committed): boolean => number % 100 >= deadPercent;
  const ours = await crowd.latenciesOf(all.commits.filter(isHealthy));
  const peer = await crowd.latenciesOf(reference.commits.filter(isHealthy));
  const cpuOf = ({ cpuMs }: Sent) => cpuMs / deliveries;
  const description = `${endpoints.toLocaleString("en")} endpoints that respond after ${responseMs} ms, ${deadPercent} % dead, 1,000 deliveries/s, against ${few}`;
  return [
    {
      id: "S15",
      description: `${description}: commit to first byte`,
      goal: "p99 <= 250 ms",
      ours: formatLatencies(ours),
      peer: formatLatencies(peer),
      ratio: quantile(ours, 0.99) / quantile(peer, 0.99),
    },
    {
      id: "S15",
      description: `${description}: CPU time per delivery`,
      goal: "-",
      ours: `${cpuOf(all).toFixed(3)} ms`,
      peer: `${cpuOf(reference).toFixed(3)} ms`,
      ratio: cpuOf(all) / cpuOf(reference),
    },
  ];
}

type Sent = { commits: Committed[]; cpuMs: number };

/**
 * Starts receivers in a process of their own, subscribes endpoints at them and starts a delivery
 * worker.
 */
async function openCrowd(endpoints: number, ...crowdArguments: number[]) {
  const processes = new BenchProcesses();
  const crowd = await processes.startOnLoadCore(
    [process.execPath, CROWD, ...crowdArguments.map(String)],
    /http:\S+/,
  );
  const control = async (command: string) => (await fetch(`${crowd}${command}`)).text();
  const config = readConfig(
    { dataDir: join(processes.dir, "data"), allowHttp: true, allowPrivate: ["127.0.0.0/8"] },
    {},
  );
  const rt = openRuntime(config, 5000);
  const members = await subscribeCrowd(rt, JSON.parse(await control("ports")), endpoints);
  const worker = await startDeliveryWorker(config);
  return {
    control,
    members,
    /** Sends at a fixed rate. `cpuMs` is the CPU time of all threads but this one. */
    async send(to: readonly Member[], count: number, rate: Rate): Promise<Sent> {
      const before = otherThreadsCpuMs();
      const commits = await commitAt(rt, to, count, rate, worker.wake);
      return { commits, cpuMs: otherThreadsCpuMs() - before };
    },
    /** Waits until every event has arrived. Returns the latencies in milliseconds, ascending. */
    async latenciesOf(commits: readonly Committed[]): Promise<number[]> {
      for (;;) {
        const times = JSON.parse(await control("times")) as [string, string][];
        const receivedAt = new Map(times.map(([eventId, at]) => [eventId, BigInt(at)]));
        const latencies = commits.flatMap(({ eventId, at }) => {
          const arrived = receivedAt.get(eventId);
          return arrived === undefined ? [] : [Number(arrived - at) / 1e6];
        });
        if (latencies.length === commits.length) return latencies.sort((a, b) => a - b);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.stop();
      rt.close();
      await processes[Symbol.asyncDispose]();
    },
  };
}

/** Returns the CPU time of all threads of this process but this one. */
function otherThreadsCpuMs(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - own.user - own.system) / 1000;
}

async function subscribeCrowd(rt: Runtime, ports: number[], endpoints: number): Promise<Member[]> {
  const members: Member[] = [];
  for (let b = 0; b < endpoints / MAX_ENDPOINTS; b++) {
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

/** Commits events at a fixed rate, each for one endpoint, and returns them. */
async function commitAt(
  rt: Runtime,
  members: readonly Member[],
  count: number,
  { everyMs, perCommit }: Rate,
  onCommit: () => void,
): Promise<Committed[]> {
  const all: Committed[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < count; i += perCommit) {
    const written = rt.tx(() =>
      Array.from({ length: perCommit }, (_, n) => {
        const { business, endpoint, number } = members[((i + n) * STRIDE) % members.length]!;
        const { events } = appendEventFor(rt, business, EVENT, endpoint);
        return { eventId: events[0]!.id, number };
      }),
    );
    const at = process.hrtime.bigint();
    all.push(...written.map((event) => ({ ...event, at })));
    onCommit();
    const next = startedAt + (i / perCommit + 1) * everyMs;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  return all;
}

const formatLatencies = (latencies: number[]): string =>
  `p50 ${quantile(latencies, 0.5).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms`;

const quantile = (sorted: number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
