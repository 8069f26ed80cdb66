import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { appendEvents } from "../../src/app/events.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { type DeliveryBench, EVENT, openDeliveryBench } from "./delivery-bench.ts";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const [STOPWATCH, BARE] = ["stopwatch", "bare-wake"].map((name) =>
  join(import.meta.dirname, `peers/${name}.ts`),
) as [string, string];
const ENDPOINTS = 10;
const COMMIT_EVERY_MS = 10;
const COMMITS = 100;
const ROUNDS = 7;
const COMMITS_ALONE = 50;
const ALONE_EVERY_MS = 73;
/**
 * The first sequence number of the bare thread. The number is higher than all sequence numbers of
 * deskbell, so the receiver can tell the two senders apart.
 */
const FIRST_BARE_SEQUENCE = 1_000_000;

/** The time of each event's commit in nanoseconds, by sequence number. */
type Commits = Map<number, bigint>;

/**
 * Measures S7: the time from a commit to the first byte at the receiver. Commits of the daemon wake
 * the worker (1,000 deliveries/s). Commits of the CLI do not wake the worker, which must notice
 * them itself. The reference is a bare thread that sends the same requests.
 */
export async function benchLatency(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const receiver = await processes.startOnLoadCore([process.execPath, STOPWATCH], /http:\S+/);
  const bench = await openDeliveryBench(join(processes.dir, "data"), receiver, ENDPOINTS);
  const worker = await startDeliveryWorker(bench.config);
  const bare = new Worker(BARE, { workerData: { receiver, endpoints: ENDPOINTS } });
  await once(bare, "online");
  let bareSequence = FIRST_BARE_SEQUENCE;

  const commitOwn = () => commit(bench, worker.wake);
  const wakeBare = (): [number, bigint] => {
    const at = process.hrtime.bigint();
    bare.postMessage(++bareSequence);
    return [bareSequence, at];
  };
  // The first commits warm up code and connections, and are not measured.
  await repeat(COMMITS, COMMIT_EVERY_MS, commitOwn);
  await repeat(COMMITS, COMMIT_EVERY_MS, wakeBare);
  const rounds: [Commits, Commits][] = [];
  while (rounds.length < ROUNDS)
    rounds.push([
      await repeat(COMMITS, COMMIT_EVERY_MS, commitOwn),
      await repeat(COMMITS, COMMIT_EVERY_MS, wakeBare),
    ]);
  const otherCommits = await repeat(COMMITS_ALONE, ALONE_EVERY_MS, () => commit(bench, () => {}));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const times = (await (await fetch(`${receiver}times`)).json()) as [number, string][];
  await worker.stop();
  await bare.terminate();
  bench.rt.close();

  const own = rounds.map(([commits]) => delaysOf(commits, times));
  const reference = rounds.map(([, commits]) => delaysOf(commits, times));
  return [
    {
      id: "S7",
      description: "commit in the daemon to first byte, 1,000 deliveries/s",
      ours: quantilesOf(own.flat()),
      peer: quantilesOf(reference.flat()),
      ratio: median(own.map((delays, i) => median(delays) / median(reference[i] ?? []))),
      goal: "p50 <= 1 ms, p99 <= 5 ms",
    },
    {
      id: "S7",
      description: "commit without a wake-up to first byte",
      ours: quantilesOf(delaysOf(otherCommits, times)),
      peer: null,
      ratio: null,
      goal: "p50 <= 60 ms",
    },
  ];
}

function commit({ rt, business }: DeliveryBench, onCommit: () => void): [number, bigint] {
  const { lastSequence } = rt.tx(() => appendEvents(rt, business, [EVENT]));
  const at = process.hrtime.bigint();
  onCommit();
  return [lastSequence, at];
}

/** Runs `send` at a fixed rate, and returns the time of each commit. */
async function repeat(count: number, everyMs: number, send: () => [number, bigint]) {
  const commits: Commits = new Map();
  for (let i = 0; i < count; i++) {
    const next = performance.now() + everyMs;
    commits.set(...send());
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  return commits;
}

/** Returns the delays from commit to first byte, in milliseconds. */
function delaysOf(commits: Commits, times: readonly [number, string][]): number[] {
  const delays = times.flatMap(([sequence, at]) => {
    const committed = commits.get(sequence);
    return committed === undefined ? [] : [Number(BigInt(at) - committed) / 1e6];
  });
  if (delays.length !== commits.size * ENDPOINTS)
    throw new Error(`Only ${delays.length} deliveries were received.`);
  return delays;
}

function quantilesOf(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b);
  const quantile = (share: number) =>
    (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(2);
  return `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`;
}
