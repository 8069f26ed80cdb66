import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { fillDeliveries } from "../support/live-data.ts";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses, assertTools } from "./processes.ts";

const BIN = fileURLToPath(new URL("../../bin/deskbell.js", import.meta.url));
/** The command that runs a program on a pseudo-terminal. */
const PTY = "script";
const DELIVERIES = 1_000_000;
const STARTS = 5;
const IDLE_MS = 10_000;
const TICKS_A_SECOND = 100;
const [DOWN, UP, END, ENTER, RIGHT] = ["\x1b[6~", "\x1b[5~", "\x1b[F", "\r", "\x1b[C"];
/** Keys that each change the screen: moving, paging, opening a delivery, filtering. */
const KEYS = [
  "j",
  "j",
  "k",
  DOWN,
  DOWN,
  UP,
  END,
  "k",
  "g",
  "j",
  "G",
  ENTER,
  "2",
  "4",
  "e",
  "e",
  "?",
  "?",
  "f",
  RIGHT,
  RIGHT,
  RIGHT,
  RIGHT,
  ENTER,
  DOWN,
];

/** The built program on a pseudo-terminal. */
class Pty {
  readonly #child: ChildProcessWithoutNullStreams;
  output = "";
  bytes = 0;

  constructor(dataDir: string) {
    const line = `stty cols 120 rows 40; exec ${process.execPath} ${BIN} tui --data-dir ${dataDir}`;
    this.#child = spawn(PTY, ["-qefc", line, "/dev/null"], {
      env: { ...process.env, TERM: "xterm-256color" },
    });
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.output += chunk.toString();
      this.bytes += chunk.length;
    });
  }

  /** Presses a key, and returns the milliseconds until the screen changes. */
  async press(key: string): Promise<number> {
    const before = this.bytes;
    const startedAt = performance.now();
    this.#child.stdin.write(key);
    while (this.bytes === before) await delay(0.2);
    const tookMs = performance.now() - startedAt;
    await delay(60);
    return tookMs;
  }

  async until(text: string): Promise<void> {
    while (!this.output.includes(text)) await delay(0.2);
  }

  /** Returns the CPU time of the program in seconds. */
  cpu(): number {
    const [pid = ""] = readFileSync(
      `/proc/${this.#child.pid}/task/${this.#child.pid}/children`,
      "utf8",
    )
      .trim()
      .split(" ");
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  }

  async quit(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.write("q");
    await gone;
  }
}

/** Measures the live view with a million deliveries. */
export async function benchTui(): Promise<Figure[]> {
  assertTools(PTY);
  await using processes = new BenchProcesses();
  const rt = openRuntime(readConfig({ dataDir: processes.dir }, {}), 5000);
  await fillDeliveries(rt, DELIVERIES);
  rt.close();

  const starts: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const startedAt = performance.now();
    const pty = new Pty(processes.dir);
    await pty.until("newest");
    starts.push(performance.now() - startedAt);
    await pty.quit();
  }

  const pty = new Pty(processes.dir);
  await pty.until("newest");
  await delay(500);
  const keys: number[] = [];
  for (const key of KEYS) keys.push(await pty.press(key));
  await delay(500);
  const [cpu, bytes] = [pty.cpu(), pty.bytes];
  await delay(IDLE_MS);
  const idle = (pty.cpu() - cpu) / (IDLE_MS / 1000);
  const idleBytes = pty.bytes - bytes;
  await pty.quit();

  const figure = (description: string, ours: string, goal: string): Figure => ({
    id: "tui",
    description,
    ours,
    peer: null,
    ratio: null,
    goal,
  });
  const ms = (value: number) => `${Math.round(value)} ms`;
  return [
    figure("first frame with 1,000,000 stored deliveries", ms(median(starts)), "<= 500 ms"),
    figure(`key to frame, slowest of ${KEYS.length}`, ms(Math.max(...keys)), "<= 50 ms"),
    figure(
      `idle CPU, and ${idleBytes} bytes written`,
      `${(idle * 100).toFixed(1)} %`,
      "< 1 %, 0 bytes",
    ),
  ];
}
