import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median, perSecond, compareInTurns } from "./figure.ts";
import { assertTools, BenchProcesses, wrk } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BARE = join(import.meta.dirname, "peers/bare-server.ts");
const FRAMEWORKS = join(import.meta.dirname, "peers/frameworks.ts");
const ROUNDS = 7;
const NO_LIMIT = "1000000000";
const URL_LINE = /http:\/\/127\.0\.0\.1:\d+/;

/** A server on the stage, and what it is asked. */
type Target = { server: string; url: string; headers: Record<string, string> };

/**
 * S1 and S2: the cached catalog GET and its 304, key check, limits and headers included, against bare node:http that writes
 * the same lines and bytes prebuilt. Beside the throughput the processor's time for a request, which a busy machine moves
 * least.
 */
export async function benchHttp(wanted: (id: string) => boolean): Promise<Figure[]> {
  assertTools("wrk", "taskset");
  await using stage = new BenchProcesses();
  const ours = await startDeskbell(stage, 50);
  const { bare, bytes, conditional } = await startBare(stage, ours);

  const figures: Figure[] = [];
  const add = async (id: string, what: string, goal: string, headers: Record<string, string>) => {
    if (!wanted(id.toLowerCase())) return;
    figures.push(
      ...(await compare(stage, { id, what, goal }, { ...ours, headers }, { ...bare, headers })),
    );
  };
  await add("S1", `cached GET, 50 services, ${bytes} bytes`, ">= 0.80", ours.headers);
  await add("S2", "304", ">= 0.85", conditional);
  return figures;
}

/**
 * S3: the same GET against frameworks that check the key, read SQLite and serialise for each request. Beside the longest list
 * what bare node:http comes to in our place: there most of the time goes into copying the answer, and nobody gets further.
 */
export async function benchFrameworks(): Promise<Figure[]> {
  assertTools("wrk", "taskset");
  const figures: Figure[] = [];
  for (const [services, factor] of [
    [10, 5],
    [50, 10],
    [500, 30],
  ] as const) {
    await using stage = new BenchProcesses();
    const ours = await startDeskbell(stage, services);
    const answerPath = join(stage.dir, "answer.json");
    writeFileSync(answerPath, await (await fetch(ours.url, ours)).text());
    const bare = services === 500 ? (await startBare(stage, ours)).bare : undefined;
    for (const framework of ["fastify", "hono", "express"]) {
      const key = ours.headers["Authorization"]?.slice("Bearer ".length) ?? "";
      const server = await stage.start(
        [process.execPath, FRAMEWORKS, framework, answerPath, key],
        URL_LINE,
      );
      const peer = { ...ours, server, url: ours.url.replace(ours.server, server) };
      const label = { id: "S3", what: `${services} services, ${framework}`, goal: `>= ${factor}` };
      figures.push(...(await compare(stage, label, ours, peer)));
      if (!bare) continue;
      const bound = {
        ...label,
        what: `${label.what}: bare node:http in our place`,
        goal: "the most there is",
      };
      figures.push(...(await compare(stage, bound, bare, peer)).slice(1));
    }
  }
  return figures;
}

async function compare(
  stage: BenchProcesses,
  label: Pick<Figure, "id" | "what" | "goal">,
  ours: Target,
  peer: Target,
): Promise<Figure[]> {
  const cpu = { ours: [] as number[], peer: [] as number[] };
  const run = async (target: Target, costs: number[]) => {
    const before = stage.cpuMs(target.server);
    const { rate, requests } = wrk(target.url, target.headers);
    costs.push(((stage.cpuMs(target.server) - before) * 1000) / requests);
    return rate;
  };
  const rates = await compareInTurns(
    ROUNDS,
    () => run(ours, cpu.ours),
    () => run(peer, cpu.peer),
  );
  const [mine, theirs] = [median(cpu.ours), median(cpu.peer)];
  return [
    { ...label, ours: perSecond(rates.ours), peer: perSecond(rates.peer), ratio: rates.ratio },
    {
      ...label,
      what: `${label.what}: processor time a request`,
      ours: `${mine.toFixed(1)} us`,
      peer: `${theirs.toFixed(1)} us`,
      ratio: theirs / mine,
    },
  ];
}

/** Bare node:http that writes the lines and as many bytes as `ours`, and what to ask for its 304. */
async function startBare(stage: BenchProcesses, ours: Target) {
  const full = await fetch(ours.url, ours);
  const bytes = (await full.arrayBuffer()).byteLength;
  const conditional = { ...ours.headers, "If-None-Match": full.headers.get("etag") ?? "" };
  const notModified = await fetch(ours.url, { headers: conditional });
  const command = [process.execPath, BARE, String(bytes), linesOf(full), linesOf(notModified)];
  const server = await stage.start(command, URL_LINE);
  return { bare: { ...ours, server, url: server }, bytes, conditional };
}

/** Every line but those that Node adds by itself. */
function linesOf(response: Response): string {
  const added = new Set(["connection", "keep-alive", "date", "transfer-encoding"]);
  return JSON.stringify([...response.headers].filter(([name]) => !added.has(name)).flat());
}

async function startDeskbell(stage: BenchProcesses, services: number): Promise<Target> {
  const run = (...args: string[]): string =>
    execFileSync(
      process.execPath,
      [BIN, "--data-dir", join(stage.dir, "data"), "--quiet", ...args],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      },
    ).trim();
  const file = join(stage.dir, "catalog.json");
  const list = Array.from({ length: services }, (_, i) => ({
    key: `service-${i}`,
    name: `Service number ${i}`,
    description: "Thirty minutes in good hands.",
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
    join(stage.dir, "data"),
    "serve",
    "--port",
    "0",
  ];
  const server = await stage.start(command, URL_LINE);
  return {
    server,
    url: `${server}/v1/businesses/bench/services?includeVariants=true`,
    // As a load generator asks: without a word on encodings.
    headers: { Authorization: `Bearer ${key}`, "Accept-Encoding": "identity" },
  };
}
