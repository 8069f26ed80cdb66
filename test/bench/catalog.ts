import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const ROUNDS = 5;
const SIZE = "10k";
const EXIT_DIFFERS = 8;

/** A module that prints the CPU time and memory of the process to stderr when it exits. */
const METER = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();' +
    'process.getBuiltinModule("node:fs").writeSync(2,"\\nmeter "+(u+s)/1000+" "+m/1024)})',
)}`;

type Run = { ms: number; cpuMs: number; rssMb: number };

/** S13: commands on a catalog of 10,000 objects, including the start of the process. */
export async function benchCatalog(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const at = (name: string) => join(processes.dir, name);
  run(["seed", "--generate", SIZE, "--random-seed", "42", "--data-dir", at("seeded")]);
  const figures: Figure[] = [];
  for (const format of ["json", "yaml"]) {
    const file = at(`catalog.${format}`);
    run(["catalog", "export", "--format", format, "--out", file, "--data-dir", at("seeded")]);
    const edited = at(`edited.${format}`);
    writeFileSync(edited, withOnePriceChanged(readFileSync(file, "utf8")));
    const applies: Run[] = [];
    const diffs: Run[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(at("data"), { recursive: true, force: true });
      applies.push(run(["catalog", "apply", file, "--data-dir", at("data")]));
      diffs.push(run(["catalog", "diff", edited, "--data-dir", at("data")], EXIT_DIFFERS));
    }
    figures.push(
      figureOf(`apply 10,000 objects, ${format}`, applies, "<= 2 s, <= 200 MB"),
      figureOf(`diff with one change in 10,000, ${format}`, diffs, "<= 0.5 s, <= 200 MB"),
    );
  }
  return figures;
}

/** Changes the last price in the file. */
function withOnePriceChanged(text: string): string {
  const [price = ""] = text.match(/"?price"?: "?[\d.]+/g)?.slice(-1) ?? [];
  const at = text.lastIndexOf(price);
  return `${text.slice(0, at)}${price.replace(/\d+/, "777")}${text.slice(at + price.length)}`;
}

function run(args: string[], expected = 0): Run {
  const startedAt = performance.now();
  let stderr = "";
  let code = 0;
  try {
    // Merge the streams, because execFileSync returns only stdout.
    stderr = execFileSync(
      "sh",
      ["-c", 'exec "$0" "$@" 2>&1', process.execPath, "--import", METER, BIN, "-q", ...args],
      {
        encoding: "utf8",
        maxBuffer: 100_000_000,
      },
    );
  } catch (error) {
    const failed = error as { status: number; stdout: string };
    [code, stderr] = [failed.status, failed.stdout];
  }
  const ms = performance.now() - startedAt;
  const [, cpuMs, rssMb] = /\nmeter ([\d.]+) ([\d.]+)$/.exec(stderr) ?? [];
  if (code !== expected || rssMb === undefined)
    throw new Error(`deskbell ${args.join(" ")} ended with ${code}: ${stderr}`);
  return { ms, cpuMs: Number(cpuMs), rssMb: Number(rssMb) };
}

function figureOf(description: string, runs: Run[], goal: string): Figure {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const [ms, cpuMs, rssMb] = [
    runs.map((one) => one.ms),
    runs.map((one) => one.cpuMs),
    runs.map((one) => one.rssMb),
  ];
  const ours = `${seconds(median(ms))} (${seconds(median(cpuMs))} of CPU), ${Math.round(Math.max(...rssMb))} MB`;
  return { id: "S13", description, ours, peer: null, ratio: null, goal };
}
