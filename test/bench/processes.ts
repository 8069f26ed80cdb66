import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/** Server and load generator run on different cores, so that they do not disturb each other. */
const SERVER_CORE = "0";
const LOAD_CORE = availableParallelism() > 1 ? "1" : "0";
export const BOTH_CORES = `${SERVER_CORE},${LOAD_CORE}`;

const onCore = (core: string, command: string[]): [string, string[]] => [
  "taskset",
  ["-c", core, ...command],
];

/** Child processes and a temporary folder. Disposal kills the processes and deletes the folder. */
export class BenchProcesses {
  readonly dir = mkdtempSync(join(tmpdir(), "deskbell-bench-"));
  readonly #children: ChildProcess[] = [];
  readonly #pids = new Map<string, number>();

  /**
   * Starts a process on the server's core, and resolves with the match of `ready` in its output.
   */
  start(command: string[], ready: RegExp, core = SERVER_CORE): Promise<string> {
    const child = spawn(...onCore(core, command), { stdio: ["ignore", "pipe", "pipe"] });
    this.#children.push(child);
    return new Promise((resolve, reject) => {
      let output = "";
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const found = ready.exec(output);
        if (!found) return;
        // `resume` goes on reading, so that the pipe does not fill up.
        for (const stream of [child.stdout, child.stderr]) stream.off("data", read).resume();
        const started = found[1] ?? found[0];
        this.#pids.set(started, child.pid as number);
        resolve(started);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) =>
        reject(new Error(`${command.join(" ")} exited with ${code}: ${output}`)),
      );
    });
  }

  /** Returns the CPU time that the main thread of a process has used so far. */
  cpuMs(started: string): number {
    const schedstat = readFileSync(`/proc/${this.#pids.get(started)}/schedstat`, "utf8");
    return Number(schedstat.split(" ")[0]) / 1e6;
  }

  /** Returns the CPU time that all threads of a process have used so far. */
  allThreadsCpuMs(started: string): number {
    const tasks = `/proc/${this.#pids.get(started)}/task`;
    return readdirSync(tasks)
      .map((id) => Number(readFileSync(`${tasks}/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6)
      .reduce((sum, ms) => sum + ms, 0);
  }

  /**
   * Returns the anonymous memory of a process. Pages of files are left out, because the system can
   * reclaim them at any time.
   */
  ownMemoryMb(started: string): number {
    const status = readFileSync(`/proc/${this.#pids.get(started)}/status`, "utf8");
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  startOnLoadCore = (command: string[], ready: RegExp): Promise<string> =>
    this.start(command, ready, LOAD_CORE);

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => child.once("exit", resolve));
        child.removeAllListeners("exit");
        child.kill("SIGKILL");
        await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 1000))]);
      }),
    );
    rmSync(this.dir, { recursive: true, force: true });
  }
}

const SECONDS = 4;

/** Runs wrk with 64 connections. Throws if any response is not 2xx or 3xx. */
export function wrk(
  url: string,
  headers: Record<string, string>,
): { rate: number; requests: number } {
  const flags = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const output = execFileSync(
    ...onCore(LOAD_CORE, ["wrk", "-t1", "-c64", `-d${SECONDS}s`, ...flags, url]),
    {
      encoding: "utf8",
    },
  );
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(output);
  if (failed) throw new Error(`${url}: ${failed[0]}`);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    requests: Number(/(\d+) requests in/.exec(output)?.[1]),
  };
}

export function assertTools(...tools: string[]): void {
  for (const tool of tools)
    try {
      execFileSync("which", [tool], { stdio: "ignore" });
    } catch {
      console.error(
        `error: this benchmark needs ${tool}.\nfix: apt-get install ${tool === "taskset" ? "util-linux" : tool}`,
      );
      process.exit(1);
    }
}
