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

/**
 * S7: the time from a commit to the first byte at the receiver, at 1,000 deliveries per second, for
 * commits of the daemon and of another process.
 */
export async function benchLatency(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const receiver = await processes.startOnLoadCore([process.execPath, STOPWATCH], /http:\S+/);
  const bench = await openDeliveryBench(join(processes.dir, "data"), receiver, ENDPOINTS);
  const worker = await startDeliveryWorker(bench.config);
  // Warm up code and connections.
  await commitAt(bench, 100, COMMIT_EVERY_MS, worker.wake);
  const ownCommits = await commitAt(bench, COMMITS, COMMIT_EVERY_MS, worker.wake);
  const otherCommits = await commitAt(bench, COMMITS_ALONE, ALONE_EVERY_MS, () => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
  const times = (await (await fetch(`${receiver}times`)).json()) as [number, string][];
  await worker.stop();
  bench.rt.close();
  return [
    figureOf(
      "commit in the daemon to first byte, 1,000 deliveries/s",
      "p50 <= 1 ms, p99 <= 5 ms",
      ownCommits,
      times,
    ),
    figureOf("commit of the CLI to first byte", "p50 <= 60 ms", otherCommits, times),
  ];
}

/**
 * Commits events at a fixed rate. Returns the time of each commit by the event's sequence number.
 */
async function commitAt(
  { rt, business }: DeliveryBench,
  count: number,
  everyMs: number,
  onCommit: () => void,
) {
  const commits = new Map<number, bigint>();
  for (let i = 0; i < count; i++) {
    const next = performance.now() + everyMs;
    const { lastSequence } = rt.tx(() => appendEvents(rt, business, [EVENT]));
    commits.set(lastSequence, process.hrtime.bigint());
    onCommit();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  return commits;
}

function figureOf(
  description: string,
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
    throw new Error(`Only ${tookMs.length} deliveries were received.`);
  const quantile = (share: number) =>
    (tookMs[Math.floor(tookMs.length * share)] ?? Number.NaN).toFixed(2);
  return {
    id: "S7",
    description,
    goal,
    ours: `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`,
    peer: null,
    ratio: null,
  };
}
