import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Figure, perSecond, compareInTurns } from "./figure.ts";
import { assertTools, BenchProcesses } from "./processes.ts";

const [SINK, OURS, BARE] = ["sink", "drainer", "bare-sender"].map((name) =>
  join(import.meta.dirname, `peers/${name}.ts`),
) as [string, string, string];
const TOTAL = 20_000;
const CONCURRENCY = 64;
/** A daemon runs for months: both sides have sent as many as that several times before they are measured. */
const WARM_UPS = 3;
const ROUNDS = 3;

/**
 * S5: 20,000 durable deliveries of 2 KB, synchronous=FULL, against bare undici.request with nothing kept. Each sends the same
 * requests to the same sink, from a process that has a core to itself.
 */
export async function benchDelivery(): Promise<Figure[]> {
  assertTools("taskset");
  await using stage = new BenchProcesses();
  const sink = await stage.startOnLoadCore([process.execPath, SINK], /http:\S+/);
  const measure = async (script: string, ...args: string[]): Promise<number> => {
    const settings = [TOTAL, CONCURRENCY, WARM_UPS].map(String);
    const took = await stage.start(
      [process.execPath, script, sink, ...args, ...settings],
      /took (\S+) ms/,
    );
    return (TOTAL / Number(took)) * 1000;
  };
  const { ours, peer, ratio } = await compareInTurns(
    ROUNDS,
    () => measure(OURS, mkdtempSync(join(stage.dir, "round-"))),
    () => measure(BARE),
  );
  const what = "20,000 deliveries, durable, 2 KB";
  return [{ id: "S5", what, goal: ">= 0.50", ours: perSecond(ours), peer: perSecond(peer), ratio }];
}
