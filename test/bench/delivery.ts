import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Figure, perSecond, compareInTurns } from "./figure.ts";
import { assertTools, BenchProcesses } from "./processes.ts";

const [SINK, OURS, BARE] = ["sink", "drainer", "bare-sender"].map((name) =>
  join(import.meta.dirname, `peers/${name}.ts`),
) as [string, string, string];
const TOTAL = 20_000;
const CONCURRENCY = 64;
/** Runs that are not measured: they warm up the code, as in a daemon that runs for months. */
const WARM_UPS = 3;
const ROUNDS = 3;

/**
 * Measures S5: 20,000 deliveries of 2 KB with synchronous=FULL, against plain undici requests that
 * store nothing. Both send the same requests to the same receiver, each from a process on its own
 * core.
 */
export async function benchDelivery(): Promise<Figure[]> {
  assertTools("taskset");
  await using processes = new BenchProcesses();
  const sink = await processes.startOnLoadCore([process.execPath, SINK], /http:\S+/);
  const measure = async (script: string, ...args: string[]): Promise<number> => {
    const settings = [TOTAL, CONCURRENCY, WARM_UPS].map(String);
    const tookMs = await processes.start(
      [process.execPath, script, sink, ...args, ...settings],
      /took (\S+) ms/,
    );
    return (TOTAL / Number(tookMs)) * 1000;
  };
  const { ours, peer, ratio } = await compareInTurns(
    ROUNDS,
    () => measure(OURS, mkdtempSync(join(processes.dir, "round-"))),
    () => measure(BARE),
  );
  const description = "20,000 deliveries, durable, 2 KB";
  return [
    { id: "S5", description, goal: ">= 0.50", ours: perSecond(ours), peer: perSecond(peer), ratio },
  ];
}
