import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { readPreset } from "../../src/platform/assets.ts";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { type Figure, compareInTurns } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const ROUNDS = 15;
const FIRST_PORT = 24_100;
const IDLE_MS = 5000;
const BARE_SERVER = `import { createServer } from "node:http";
createServer((_, response) => response.end("ok")).listen(Number(process.argv[2]), "127.0.0.1");`;
/**
 * An HTTP server that reads a database, and a thread with a database connection and an HTTP client.
 * It checks, schedules and caches nothing.
 */
const SMALL_DAEMON = `import { createServer } from "node:http";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
const db = new Database(workerData ?? process.argv[3], { readonly: true });
const count = db.prepare("SELECT count(*) FROM sqlite_schema").pluck();
if (isMainThread) {
  createServer((_, response) => response.end(String(count.get())))
    .listen(Number(process.argv[2]), "127.0.0.1");
  new Worker(new URL(import.meta.url), { workerData: process.argv[3] });
} else {
  const { Agent } = await import(${JSON.stringify(import.meta.resolve("undici"))});
  const dispatcher = new Agent();
  setInterval(() => count.get() > 0 || dispatcher.close(), 50);
}`;

/**
 * Measures S11: the time from process start to the first response, and the memory when idle. A small
 * daemon that only opens a database and a thread shows how much of both can be saved.
 */
export async function benchStart(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const bare = writeScript(processes, "bare", BARE_SERVER);
  const smallDaemon = writeScript(processes, "small", SMALL_DAEMON);
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  applyCatalog(rt, [{ name: "salon.yaml", text: readPreset("salon") }]);
  const { databasePath } = rt.config;
  rt.close();
  let port = FIRST_PORT;
  const ours = () =>
    startAndWait([BIN, "serve", "--data-dir", dataDir, "--port", String(++port)], port);
  const peer = () => startAndWait([bare, String(++port)], port);
  const small = () => startAndWait([smallDaemon, String(++port), databasePath], port);
  const daemonMb = await measureIdleMb(await ours());
  const [smallMb, bareMb] = [await measureIdleMb(await small()), await measureIdleMb(await peer())];
  const timeOf = (start: typeof ours) => async () => stop(await start());
  const {
    ours: oursMs,
    peer: peerMs,
    ratio,
  } = await compareInTurns(ROUNDS, timeOf(ours), timeOf(peer));
  const floor = await compareInTurns(ROUNDS, timeOf(small), timeOf(peer));
  return [
    {
      id: "S11",
      description: "ready to serve, against a bare node:http script",
      goal: "<= 1.5",
      ours: formatMs(oursMs),
      peer: formatMs(peerMs),
      ratio,
    },
    {
      id: "S11",
      description: "RSS after five idle seconds",
      goal: "<= 100 MB",
      ours: `${daemonMb} MB`,
      peer: `${bareMb} MB`,
      ratio: null,
    },
    {
      id: "S11",
      description: "the small daemon instead of deskbell: ready to serve",
      goal: "floor",
      ours: formatMs(floor.ours),
      peer: formatMs(floor.peer),
      ratio: floor.ratio,
    },
    {
      id: "S11",
      description: "the small daemon instead of deskbell: RSS after five idle seconds",
      goal: "floor",
      ours: `${smallMb} MB`,
      peer: `${bareMb} MB`,
      ratio: null,
    },
  ];
}

/** Measures S12: the time of `deskbell --help`. */
export async function benchHelp(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const empty = writeScript(processes, "empty", "export {};");
  const { ours, peer, ratio } = await compareInTurns(
    ROUNDS,
    () => timeToExit([BIN, "--help"]),
    () => timeToExit([empty]),
  );
  return [
    {
      id: "S12",
      description: "deskbell --help, against an empty ESM script",
      goal: "<= 1.5",
      ours: formatMs(ours),
      peer: formatMs(peer),
      ratio,
    },
  ];
}

const formatMs = (ms: number): string => `${ms.toFixed(0)} ms`;

function writeScript(processes: BenchProcesses, name: string, text: string): string {
  const path = join(processes.dir, `${name}.mjs`);
  writeFileSync(path, text);
  return path;
}

const startNode = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: "ignore" });

async function timeToExit(args: string[]): Promise<number> {
  const startedAt = performance.now();
  const [code] = (await once(startNode(args), "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}`);
  return performance.now() - startedAt;
}

type StartedServer = { child: ChildProcess; ms: number };

async function startAndWait(args: string[], port: number): Promise<StartedServer> {
  const startedAt = performance.now();
  const child = startNode(args);
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} exited with ${child.exitCode}`);
    await sleep(1);
  }
  return { child, ms: performance.now() - startedAt };
}

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });

async function stop({ child, ms }: StartedServer): Promise<number> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return ms;
}

async function measureIdleMb(started: StartedServer): Promise<number> {
  await sleep(IDLE_MS);
  const status = readFileSync(`/proc/${started.child.pid}/status`, "utf8");
  await stop(started);
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
