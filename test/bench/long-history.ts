import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openRuntime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { compareInTurns, type Figure } from "./figure.ts";
import { deskbell } from "./catalog.ts";
import { BASE, SERVICE, SLUG, storeData } from "./growth/data.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BUSINESSES = 10_000;
/** Each event has a delivery and an attempt. */
const EVENTS = 4_500_000;
const ROUNDS = 9;

/** Measures S14: a price edit and a backup with 10,000 businesses and 4,500,000 events. */
export async function benchLongHistory(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const config = readConfig({ dataDir }, {});
  const rt = openRuntime(config, 5000);
  await storeData(rt, { ...BASE, businesses: BUSINESSES, events: EVENTS });
  rt.close();
  const run = (...args: string[]) => deskbell([...args, "--data-dir", dataDir]).cpuMs;
  let price = 10;
  const edit = async () =>
    run("services", "update", SERVICE, "--business", SLUG, "--price", `${++price}.00`);
  const list = async () => run("keys", "list", "--business", SLUG);
  const { ours, peer, ratio } = await compareInTurns(ROUNDS, edit, list);
  const startedAt = performance.now();
  execFileSync(process.execPath, [BIN, "-q", "backup", "create", "--data-dir", dataDir]);
  const seconds = (performance.now() - startedAt) / 1000;
  const gigabytes = statSync(config.databasePath).size / 1e9;
  const history = `${BUSINESSES.toLocaleString("en")} businesses, ${EVENTS.toLocaleString("en")} events (${gigabytes.toFixed(1)} GB)`;
  return [
    {
      id: "S14",
      description: `${history}: a price edit, against keys list, CPU time`,
      ours: `${ours.toFixed(0)} ms`,
      peer: `${peer.toFixed(0)} ms`,
      ratio,
      goal: "<= 3",
    },
    {
      id: "S14",
      description: `${history}: backup`,
      ours: `${seconds.toFixed(0)} s`,
      peer: null,
      ratio: null,
      goal: "<= 300 s",
    },
  ];
}
