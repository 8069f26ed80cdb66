import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareInTurns, type Figure } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BARE_IMPORT = join(import.meta.dirname, "peers/bare-import.ts");
const ROUNDS = 9;
const SIZE = "10k";
export const EXIT_DIFFERENCES = 8;

/**
 * A module that prints the CPU time and memory of the process to stderr when it exits. The memory
 * is `VmHWM` instead of `maxRSS`, because a process inherits `maxRSS` from the process that starts
 * it.
 */
const METER = `data:text/javascript,${encodeURIComponent(
  'process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s}=process.resourceUsage();' +
    'const{readFileSync:r,writeSync:w}=process.getBuiltinModule("node:fs");' +
    'const kb=/VmHWM:\\s+(\\d+)/.exec(r("/proc/self/status","utf8"))[1];' +
    'w(2,"\\nmeter "+(u+s)/1000+" "+kb/1024)})',
)}`;

/**
 * Measures S13: whole commands on a catalog of 10,000 objects, from the start of the process to its
 * end, in CPU time. The peer reads the same file with js-yaml and inserts the objects into SQLite.
 */
export async function benchCatalog(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const at = (name: string) => join(processes.dir, name);
  deskbell(["seed", "--generate", SIZE, "--random-seed", "42", "--data-dir", at("seeded")]);
  const figures: Figure[] = [];
  for (const format of ["yaml", "json"]) {
    const file = at(`catalog.${format}`);
    deskbell(["catalog", "export", "--format", format, "--out", file, "--data-dir", at("seeded")]);
    const edited = at(`edited.${format}`);
    writeFileSync(edited, withOnePriceChanged(readFileSync(file, "utf8")));

    const apply = () => {
      rmSync(at("data"), { recursive: true, force: true });
      return deskbell(["catalog", "apply", file, "--data-dir", at("data")]);
    };
    const diff = () =>
      deskbell(["catalog", "diff", edited, "--data-dir", at("data")], EXIT_DIFFERENCES);
    const bareImport = () => {
      rmSync(at("bare"), { force: true });
      return run([BARE_IMPORT, file, at("bare")]);
    };
    figures.push(
      await compare(`apply 10,000 objects, ${format}`, "<= 3.5, <= 200 MB", apply, bareImport),
      await compare(
        `diff with one change in 10,000, ${format}`,
        "<= 2, <= 200 MB",
        diff,
        bareImport,
      ),
    );
  }
  return figures;
}

/** Compares the CPU time of one price edit with that of `keys list`, which reads no catalog. */
export async function benchEdit(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const figures: Figure[] = [];
  for (const [size, goal] of [
    ["10k", "<= 2.5, <= 100 MB"],
    ["100k", "<= 5"],
  ] as const) {
    const dataDir = join(processes.dir, `edit-${size}`);
    deskbell(["seed", "--generate", size, "--random-seed", "42", "--data-dir", dataDir]);
    const key = keyOfPricedService(dataDir);
    let price = 50;
    const edit = () =>
      deskbell(["services", "update", key, "--price", `${price++}.00`, "--data-dir", dataDir]);
    const listKeys = () => deskbell(["keys", "list", "--data-dir", dataDir]);
    figures.push({
      ...(await compare(`price edit of one in ${size} objects`, goal, edit, listKeys)),
      id: "edit",
    });
  }
  return figures;
}

function keyOfPricedService(dataDir: string): string {
  const args = [BIN, "services", "list", "--json", "--data-dir", dataDir];
  const output = execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
  const services = JSON.parse(output) as {
    data: { key: string; priceType: string; variants: unknown[] }[];
  };
  const found = services.data.find(
    ({ priceType, variants }) => priceType === "FIXED" && variants.length === 0,
  );
  if (!found) throw new Error("The generated catalog has no service with a fixed price.");
  return found.key;
}

/** Returns the text of a catalog file with another last price. */
export function withOnePriceChanged(text: string): string {
  const [price = ""] = text.match(/"?price"?: "?[\d.]+/g)?.slice(-1) ?? [];
  const at = text.lastIndexOf(price);
  return `${text.slice(0, at)}${price.replace(/\d+/, "777")}${text.slice(at + price.length)}`;
}

export type Usage = { cpuMs: number; rssMb: number };

export const deskbell = (args: string[], expectedStatus = 0): Usage =>
  run([BIN, "-q", ...args], expectedStatus);

function run(args: string[], expectedStatus = 0): Usage {
  // The shell merges the streams, because execFileSync returns only stdout.
  const command = ["-c", 'exec "$0" "$@" 2>&1', process.execPath, "--import", METER, ...args];
  let output = "";
  let status = 0;
  try {
    output = execFileSync("sh", command, { encoding: "utf8", maxBuffer: 100_000_000 });
  } catch (error) {
    const failed = error as { status: number; stdout: string };
    [status, output] = [failed.status, failed.stdout];
  }
  const [, cpuMs, rssMb] = /\nmeter ([\d.]+) ([\d.]+)$/.exec(output) ?? [];
  if (status !== expectedStatus || rssMb === undefined)
    throw new Error(`${args.join(" ")} ended with ${status}: ${output}`);
  return { cpuMs: Number(cpuMs), rssMb: Number(rssMb) };
}

export async function compare(
  description: string,
  goal: string,
  runOurs: () => Usage,
  runPeer: () => Usage,
): Promise<Figure> {
  const [oursMb, peerMb]: [number[], number[]] = [[], []];
  const { ours, peer, ratio } = await compareInTurns(
    ROUNDS,
    async () => cpuMsOf(runOurs(), oursMb),
    async () => cpuMsOf(runPeer(), peerMb),
  );
  const shown = (cpuMs: number, rssMb: number[]) =>
    `${(cpuMs / 1000).toFixed(2)} s CPU, ${Math.round(Math.max(...rssMb))} MB`;
  return {
    id: "S13",
    description,
    ours: shown(ours, oursMb),
    peer: shown(peer, peerMb),
    ratio,
    goal,
  };
}

/** Returns the CPU time of a run, and adds its memory to `memoryMb`. */
function cpuMsOf({ cpuMs, rssMb }: Usage, memoryMb: number[]): number {
  memoryMb.push(rssMb);
  return cpuMs;
}
