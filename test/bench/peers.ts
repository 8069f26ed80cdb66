import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median, perSecond } from "./figure.ts";
import { findMissing, type QueueServer, startPostgres, startRedis } from "./peers/queue-servers.ts";
import { assertTools, BenchProcesses, BOTH_CORES } from "./processes.ts";

const pathOf = (name: string): string => join(import.meta.dirname, `peers/${name}.ts`);
const TOTAL = 20_000;
const CONCURRENCY = 64;
/** Runs that are not measured: they warm up the code, as in a daemon that runs for months. */
const WARM_UPS = 2;
const ROUNDS = 3;

type Measured = { rate: number; cpuUs: number };

const PEERS = [
  {
    name: "BullMQ with Redis",
    programs: ["redis-server"],
    start: startRedis,
    drainer: pathOf("bullmq-drainer"),
    goals: { rate: ">= 2.5", cpu: "<= 0.25" },
  },
  {
    name: "pg-boss with PostgreSQL",
    programs: ["postgres", "initdb"],
    start: startPostgres,
    drainer: pathOf("pg-boss-drainer"),
    goals: { rate: ">= 3", cpu: "<= 0.17" },
  },
];

/**
 * Measures S6: 20,000 stored deliveries of 2 KB, from the first request until all outcomes are
 * stored, with the CPU time of the sender and of its server. Every program may use all cores. A
 * peer whose server this machine lacks is left out.
 */
export async function benchPeers(): Promise<Figure[]> {
  assertTools("taskset");
  await using processes = new BenchProcesses();
  const sink = await processes.start([process.execPath, pathOf("sink")], /http:\S+/, BOTH_CORES);
  const measure = async (script: string, ...args: string[]): Promise<Measured> => {
    const settings = [TOTAL, CONCURRENCY, WARM_UPS].map(String);
    const command = [process.execPath, script, sink, ...args, ...settings];
    const printed = await processes.start(command, /took (.*) ms CPU/, BOTH_CORES);
    const [tookMs, cpuMs] = printed.split(" ms, ").map(Number) as [number, number];
    return { rate: (TOTAL / tookMs) * 1000, cpuUs: (cpuMs / TOTAL) * 1000 };
  };
  const measureOurs = () => measure(pathOf("drainer"), mkdtempSync(join(processes.dir, "round-")));
  const figures: Figure[] = [];
  for (const { name, programs, start, drainer, goals } of PEERS) {
    const missing = findMissing(programs);
    if (missing !== undefined) {
      console.error(`${name} is left out, because this machine has no ${missing}.`);
      continue;
    }
    await using server: QueueServer = await start();
    const rounds: [Measured, Measured][] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([
        await measureOurs(),
        await measure(drainer, String(server.port), String(server.pid)),
      ]);
    figures.push(...toFigures(name, rounds, goals));
  }
  return figures;
}

function toFigures(
  name: string,
  rounds: readonly [Measured, Measured][],
  goals: { rate: string; cpu: string },
): Figure[] {
  const of = (field: keyof Measured) => ({
    ours: median(rounds.map(([ours]) => ours[field])),
    peer: median(rounds.map(([, peer]) => peer[field])),
    ratio: median(rounds.map(([ours, peer]) => ours[field] / peer[field])),
  });
  const [rate, cpu] = [of("rate"), of("cpuUs")];
  const cpuText = (us: number) => `${us.toFixed(0)} us`;
  return [
    {
      id: "S6",
      description: `deliveries a second, against ${name}`,
      ours: perSecond(rate.ours),
      peer: perSecond(rate.peer),
      ratio: rate.ratio,
      goal: goals.rate,
    },
    {
      id: "S6",
      description: `CPU time of a delivery, against ${name}`,
      ours: cpuText(cpu.ours),
      peer: cpuText(cpu.peer),
      ratio: cpu.ratio,
      goal: goals.cpu,
    },
  ];
}
