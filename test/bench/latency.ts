import { join } from "node:path";
import { appendEvents } from "../../src/app/events.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { type DeliveryBench, EVENT, openDeliveryBench } from "./delivery-bench.ts";
import type { Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const STOPWATCH = join(import.meta.dirname, "peers/stopwatch.ts");
const ENDPOINTS = 10;
const COMMIT_EVERY_MS = 10;
const COMMITS = 500;
const COMMITS_ALONE = 50;
const ALONE_EVERY_MS = 73;

/** S7: from a commit to the first byte at the receiver, at 1,000 deliveries a second; and from the commit of another process. */
export async function benchLatency(): Promise<Figure[]> {
  await using stage = new BenchProcesses();
  const receiver = await stage.startOnLoadCore([process.execPath, STOPWATCH], /http:\S+/);
  const desk = await openDeliveryBench(join(stage.dir, "data"), receiver, ENDPOINTS);
  const courier = await startDeliveryWorker(desk.config);
  // The first hundred find cold code and no connections.
  await commitAt(desk, 100, COMMIT_EVERY_MS, courier.wake);
  const told = await commitAt(desk, COMMITS, COMMIT_EVERY_MS, courier.wake);
  const found = await commitAt(desk, COMMITS_ALONE, ALONE_EVERY_MS, () => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
  const times = (await (await fetch(`${receiver}times`)).json()) as [number, string][];
  await courier.stop();
  desk.rt.close();
  return [
    figureOf(
      "commit in the daemon to first byte, 1,000 deliveries/s",
      "p50 <= 1 ms, p99 <= 5 ms",
      told,
      times,
    ),
    figureOf("a CLI's commit to first byte", "p50 <= 60 ms", found, times),
  ];
}

/** The instant of each commit, by the sequence number of its event. */
async function commitAt(
  { rt, business }: DeliveryBench,
  count: number,
  everyMs: number,
  committed: () => void,
) {
  const commits = new Map<number, bigint>();
  for (let i = 0; i < count; i++) {
    const next = performance.now() + everyMs;
    const { lastSequence } = rt.tx(() => appendEvents(rt, business, [EVENT]));
    commits.set(lastSequence, process.hrtime.bigint());
    committed();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  return commits;
}

function figureOf(
  what: string,
  goal: string,
  commits: Map<number, bigint>,
  times: [number, string][],
): Figure {
  const tookMs = times
    .flatMap(([sequence, at]) => {
      const committed = commits.get(sequence);
      return committed === undefined ? [] : [Number(BigInt(at) - committed) / 1e6];
    })
    .sort((a, b) => a - b);
  if (tookMs.length !== commits.size * ENDPOINTS)
    throw new Error(`${tookMs.length} deliveries have arrived.`);
  const quantile = (share: number) =>
    (tookMs[Math.floor(tookMs.length * share)] ?? Number.NaN).toFixed(2);
  return {
    id: "S7",
    what,
    goal,
    ours: `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`,
    peer: null,
    ratio: null,
  };
}
