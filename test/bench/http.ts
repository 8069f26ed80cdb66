import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median, perSecond, compareInTurns } from "./figure.ts";
import { assertTools, BenchProcesses, wrk } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BARE = join(import.meta.dirname, "peers/bare-server.ts");
const SMALL = join(import.meta.dirname, "peers/small-server.ts");
const FRAMEWORKS = join(import.meta.dirname, "peers/frameworks.ts");
const ROUNDS = 7;
const NO_LIMIT = "1000000000";
const URL_LINE = /http:\/\/127\.0\.0\.1:\d+/;

/** A running server, and the request to measure. */
type Target = { server: string; url: string; headers: Record<string, string> };

/**
 * Measures S1 and S2: a cached catalog GET and its 304, including the key check, rate limits and
 * headers, against bare node:http with a prebuilt response of the same size. The CPU time per
 * request depends less on other load than the throughput. A small server that does only what these
 * responses need shows how much of the difference can be won back.
 */
export async function benchHttp(wanted: (id: string) => boolean): Promise<Figure[]> {
  assertTools("wrk", "taskset");
  await using processes = new BenchProcesses();
  const ours = await startDeskbell(processes, 50);
  const { bare, small, bytes, conditional } = await startPeers(processes, ours);

  const figures: Figure[] = [];
  const add = async (
    id: string,
    description: string,
    goal: string,
    headers: Record<string, string>,
  ) => {
    if (!wanted(id.toLowerCase())) return;
    const peer = { ...bare, headers };
    figures.push(
      ...(await compare(processes, { id, description, goal }, { ...ours, headers }, peer)),
      ...(await compare(
        processes,
        { id, description: `${description}: the small server instead of deskbell`, goal: "floor" },
        { ...small, headers },
        peer,
      )),
    );
  };
  await add("S1", `cached GET, 50 services, ${bytes} bytes`, ">= 0.80", ours.headers);
  await add("S2", "304", ">= 0.85", conditional);
  return figures;
}

/**
 * Measures S3: the catalog GET against frameworks that check the key, read SQLite and serialise on
 * each request. With the longest list, bare node:http shows the upper bound, because most of the
 * time is spent on copying the body.
 */
export async function benchFrameworks(): Promise<Figure[]> {
  assertTools("wrk", "taskset");
  const figures: Figure[] = [];
  for (const [services, factor] of [
    [10, 5],
    [50, 10],
    [500, 30],
  ] as const) {
    await using processes = new BenchProcesses();
    const ours = await startDeskbell(processes, services);
    const answerPath = join(processes.dir, "answer.json");
    writeFileSync(answerPath, await (await fetch(ours.url, ours)).text());
    const bare = services === 500 ? (await startPeers(processes, ours)).bare : undefined;
    for (const framework of ["fastify", "hono", "express"]) {
      const key = ours.headers["Authorization"]?.slice("Bearer ".length) ?? "";
      const server = await processes.start(
        [process.execPath, FRAMEWORKS, framework, answerPath, key],
        URL_LINE,
      );
      const peer = { ...ours, server, url: ours.url.replace(ours.server, server) };
      const label = {
        id: "S3",
        description: `${services} services, ${framework}`,
        goal: `>= ${factor}`,
      };
      figures.push(...(await compare(processes, label, ours, peer)));
      if (!bare) continue;
      const bound = {
        ...label,
        description: `${label.description}: bare node:http instead of deskbell`,
        goal: "upper bound",
      };
      figures.push(...(await compare(processes, bound, bare, peer)).slice(1));
    }
  }
  return figures;
}

async function compare(
  processes: BenchProcesses,
  label: Pick<Figure, "id" | "description" | "goal">,
  ours: Target,
  peer: Target,
): Promise<Figure[]> {
  const cpu = { ours: [] as number[], peer: [] as number[] };
  const run = async (target: Target, costs: number[]) => {
    const before = processes.cpuMs(target.server);
    const { rate, requests } = wrk(target.url, target.headers);
    costs.push(((processes.cpuMs(target.server) - before) * 1000) / requests);
    return rate;
  };
  const rates = await compareInTurns(
    ROUNDS,
    () => run(ours, cpu.ours),
    () => run(peer, cpu.peer),
  );
  const [ourCpuUs, peerCpuUs] = [median(cpu.ours), median(cpu.peer)];
  return [
    { ...label, ours: perSecond(rates.ours), peer: perSecond(rates.peer), ratio: rates.ratio },
    {
      ...label,
      description: `${label.description}: CPU time per request`,
      ours: `${ourCpuUs.toFixed(1)} us`,
      peer: `${peerCpuUs.toFixed(1)} us`,
      ratio: peerCpuUs / ourCpuUs,
    },
  ];
}

/**
 * Starts bare node:http and the small server with the headers and body size of `ours`.
 * `conditional` contains the request headers that they answer with a 304.
 */
async function startPeers(processes: BenchProcesses, ours: Target) {
  const full = await fetch(ours.url, ours);
  const bytes = (await full.arrayBuffer()).byteLength;
  const conditional = { ...ours.headers, "If-None-Match": full.headers.get("etag") ?? "" };
  const notModified = await fetch(ours.url, { headers: conditional });
  const answers = [String(bytes), headersOf(full), headersOf(notModified)];
  const start = async (...program: string[]): Promise<Target> => {
    const server = await processes.start([process.execPath, ...program, ...answers], URL_LINE);
    return { ...ours, server, url: server };
  };
  const bare = await start(BARE);
  const small = await start(SMALL, ours.headers["Authorization"] ?? "");
  return { bare, small, bytes, conditional };
}

/** Returns the response headers as JSON, without those that Node adds itself. */
function headersOf(response: Response): string {
  const added = new Set(["connection", "keep-alive", "date", "transfer-encoding"]);
  return JSON.stringify([...response.headers].filter(([name]) => !added.has(name)).flat());
}

async function startDeskbell(processes: BenchProcesses, services: number): Promise<Target> {
  const run = (...args: string[]): string =>
    execFileSync(
      process.execPath,
      [BIN, "--data-dir", join(processes.dir, "data"), "--quiet", ...args],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      },
    ).trim();
  const file = join(processes.dir, "catalog.json");
  const list = Array.from({ length: services }, (_, i) => ({
    key: `service-${i}`,
    name: `Service number ${i}`,
    description: "A service of thirty minutes.",
    durationMin: 30,
    price: "35.00",
  }));
  const business = { slug: "bench", name: "Bench", timezone: "Europe/Zurich", currency: "CHF" };
  writeFileSync(file, JSON.stringify({ catalog: 1, business, services: list }));
  run("catalog", "apply", file);
  const limits = ["--limit-minute", NO_LIMIT, "--limit-hour", NO_LIMIT];
  const key = run("keys", "create", "--name", "bench", "--secret", ...limits);
  const command = [
    process.execPath,
    BIN,
    "--data-dir",
    join(processes.dir, "data"),
    "serve",
    "--port",
    "0",
  ];
  const server = await processes.start(command, URL_LINE);
  return {
    server,
    url: `${server}/v1/businesses/bench/services?includeVariants=true`,
    // Compression is off, because load generators do not request it.
    headers: { Authorization: `Bearer ${key}`, "Accept-Encoding": "identity" },
  };
}
