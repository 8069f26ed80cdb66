import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BIN } from "../support/program.ts";
import { type Figure, compareInTurns } from "./figure.ts";
import { assertTools, BenchProcesses } from "./processes.ts";

const BUILD = join(import.meta.dirname, "../../.config/executable.ts");
const ROUNDS = 15;
/**
 * The wait before the memory is measured. Memory that only the start needs has been released by
 * then.
 */
const SETTLE_MS = 1000;

/**
 * Compares the executable with the npm package, which has a compile cache after its first start.
 */
export async function benchExecutable(): Promise<Figure[]> {
  assertTools("taskset", "strip");
  await using processes = new BenchProcesses();
  const executable = join(processes.dir, "deskbell");
  execFileSync(process.execPath, [BUILD, executable]);
  const ours = ["env", `DESKBELL_CACHE_DIR=${join(processes.dir, "cache")}`, executable];
  const peer = [process.execPath, BIN];
  const dataDir = join(processes.dir, "data");

  const run = ([file = "", ...first]: string[], ...args: string[]): Promise<number> => {
    const startedAt = performance.now();
    execFileSync(file, [...first, ...args], { stdio: "ignore" });
    return Promise.resolve(performance.now() - startedAt);
  };
  for (const program of [ours, peer])
    await run(program, "seed", "salon", "--overwrite", "--data-dir", dataDir);

  const memory = new Map<string[], number[]>([
    [ours, []],
    [peer, []],
  ]);
  const serve = async (program: string[]): Promise<number> => {
    const startedAt = performance.now();
    await using daemon = new BenchProcesses();
    const serving = await daemon.start(
      [...program, "serve", "--port", "0", "--data-dir", dataDir],
      /"serving"/,
    );
    const tookMs = performance.now() - startedAt;
    await delay(SETTLE_MS);
    memory.get(program)?.push(daemon.ownMemoryMb(serving));
    return tookMs;
  };

  const compare = async (
    description: string,
    unit: string,
    measure: (program: string[]) => Promise<number>,
  ) =>
    figure(
      description,
      unit,
      await compareInTurns(
        ROUNDS,
        () => measure(ours),
        () => measure(peer),
      ),
    );
  return [
    await compare("--version", "ms", (program) => run(program, "--version")),
    await compare("--help", "ms", (program) => run(program, "--help")),
    await compare("serve, until it is ready", "ms", serve),
    await compare(
      "memory after one second (RssAnon)",
      "MB",
      async (program) => memory.get(program)?.shift() ?? Number.NaN,
    ),
  ];
}

const figure = (
  description: string,
  unit: string,
  { ours, peer, ratio }: { ours: number; peer: number; ratio: number },
) => ({
  id: "binary",
  description: `${description}: the executable against the npm package`,
  ours: `${Math.round(ours)} ${unit}`,
  peer: `${Math.round(peer)} ${unit}`,
  ratio,
  goal: "-",
});
