import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { readPreset } from "../../src/assets.ts";
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

/** S11: from the start of the process to the first answer, and what it holds once it is idle. */
export async function benchStart(): Promise<Figure[]> {
  await using stage = new BenchProcesses();
  const bare = writeScript(stage, BARE_SERVER);
  const dataDir = join(stage.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  applyCatalog(rt, [{ name: "salon.yaml", text: readPreset("salon") }]);
  rt.close();
  let port = FIRST_PORT;
  const ours = () =>
    untilItAnswers([BIN, "serve", "--data-dir", dataDir, "--port", String(++port)], port);
  const peer = () => untilItAnswers([bare, String(++port)], port);
  const [daemonMb, bareMb] = [await idleMb(await ours()), await idleMb(await peer())];
  const timeOf = (start: typeof ours) => async () => stop(await start());
  const {
    ours: oursMs,
    peer: peerMs,
    ratio,
  } = await compareInTurns(ROUNDS, timeOf(ours), timeOf(peer));
  return [
    figure(
      "S11",
      "ready to serve, against a bare node:http script",
      "<= 1.5",
      inMs(oursMs),
      inMs(peerMs),
      ratio,
    ),
    figure(
      "S11",
      "RSS after five idle seconds",
      "<= 100 MB",
      `${daemonMb} MB`,
      `${bareMb} MB`,
      null,
    ),
  ];
}

/** S12: what it takes to be helped. */
export async function benchHelp(): Promise<Figure[]> {
  await using stage = new BenchProcesses();
  const empty = writeScript(stage, "export {};");
  const { ours, peer, ratio } = await compareInTurns(
    ROUNDS,
    () => timeToEnd([BIN, "--help"]),
    () => timeToEnd([empty]),
  );
  return [
    figure(
      "S12",
      "deskbell --help, against an empty ESM script",
      "<= 1.5",
      inMs(ours),
      inMs(peer),
      ratio,
    ),
  ];
}

const figure = (
  id: string,
  what: string,
  goal: string,
  ours: string,
  peer: string,
  ratio: number | null,
): Figure => ({
  id,
  what,
  goal,
  ours,
  peer,
  ratio,
});

const inMs = (ms: number): string => `${ms.toFixed(0)} ms`;

function writeScript(stage: BenchProcesses, text: string): string {
  const path = join(stage.dir, "script.mjs");
  writeFileSync(path, text);
  return path;
}

const startNode = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: "ignore" });

async function timeToEnd(args: string[]): Promise<number> {
  const startedAt = performance.now();
  const [code] = (await once(startNode(args), "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return performance.now() - startedAt;
}

type Ready = { child: ChildProcess; ms: number };

async function untilItAnswers(args: string[], port: number): Promise<Ready> {
  const startedAt = performance.now();
  const child = startNode(args);
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}`);
    await sleep(1);
  }
  return { child, ms: performance.now() - startedAt };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });

async function stop({ child, ms }: Ready): Promise<number> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return ms;
}

async function idleMb(started: Ready): Promise<number> {
  await sleep(IDLE_MS);
  const status = readFileSync(`/proc/${started.child.pid}/status`, "utf8");
  await stop(started);
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
