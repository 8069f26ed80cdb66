import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Line, PlannedRun, RunResult } from "./plan.ts";
import type { Assignment } from "./worker.ts";

const POLL_MS = 100;
const START_LIMIT_MS = 300_000;

/** How a run ended: with a result, by a crash of its process, or not in time. */
export type Ending = RunResult | "crashed" | "timed out";

/** Runs plans in a process of its own, which is replaced when a mutant makes it hang. */
export class WorkerProcess {
  #copy: string;
  #folder: string;
  #child: ChildProcess | null = null;
  #temporary: string | undefined;
  #plans = 0;

  constructor(copy: string) {
    this.#copy = copy;
    this.#folder = mkdtempSync(join(copy, ".plans-"));
  }

  /**
   * Runs a plan and reports how each run ended. A run that an earlier one may have disturbed is
   * repeated in a new process.
   */
  async run(
    plan: readonly PlannedRun[],
    limitMs: (run: PlannedRun) => number,
    report: (run: PlannedRun, ending: Ending) => void,
  ): Promise<void> {
    for (let left = plan; left.length > 0;) {
      const { ended, begun, isHanging } = await this.#attempt(left, limitMs);
      const last = ended.at(-1);
      const isDisturbed = last !== undefined && !last.isConfirmed && !last.isFirst;
      const certain = isDisturbed ? ended.slice(0, -1) : ended;
      certain.forEach((result, index) => report(left[index] as PlannedRun, result));
      let done = certain.length;
      // If a run is lost, it has begun but has no result: it hangs, or its process has ended.
      const isLost = begun === ended.length;
      // A crash counts as a result only in the first run of an attempt. A later run may have
      // crashed because an earlier one disturbed the process, so it is repeated.
      if (isLost && (isHanging || begun === 0)) {
        report(left[done] as PlannedRun, isHanging ? "timed out" : "crashed");
        done += 1;
      }
      if (done === 0 && !isDisturbed && !isLost)
        throw new Error(
          `Vitest did not start ${left[0]?.file}.\nfix: npx vitest run ${left[0]?.file}`,
        );
      left = left.slice(done);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.connected) {
      child.disconnect();
      await once(child, "exit");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a plan until it ends or hangs. `begun` is the index of the last run that has begun. */
  async #attempt(
    plan: readonly PlannedRun[],
    limitMs: (run: PlannedRun) => number,
  ): Promise<{ ended: RunResult[]; begun: number; isHanging: boolean }> {
    const child = (this.#child ??= await this.#start());
    const [path, results] = ["plan.json", `${++this.#plans}.results`].map((name) =>
      join(this.#folder, name),
    ) as [string, string];
    writeFileSync(path, JSON.stringify(plan));
    const stop = new AbortController();
    const ends = Promise.race(
      ["message", "exit"].map((event) => once(child, event, { signal: stop.signal })),
    );
    child.send({ plan: path, results, files: plan.map(({ file }) => file) } satisfies Assignment);
    let [size, seenAt, isHanging] = [0, performance.now(), false];
    while (!isHanging && (await Promise.race([ends.then(() => false), wait(POLL_MS, true)]))) {
      const lines = readLines(results);
      if (lines.length !== size) [size, seenAt] = [lines.length, performance.now()];
      const run = plan[lastBegun(lines)];
      const limit = run === undefined ? START_LIMIT_MS : limitMs(run);
      isHanging = performance.now() - seenAt > limit;
    }
    ends.catch(() => undefined);
    stop.abort();
    if (isHanging || child.exitCode !== null) await this.#kill();
    const lines = readLines(results);
    rmSync(results, { force: true });
    const ended = lines.flatMap((line) => ("result" in line ? [line.result] : []));
    return { ended, begun: lastBegun(lines), isHanging };
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, "worker.ts"), {
      cwd: this.#copy,
      // The process has a group of its own, so that it can be killed together with the programs
      // that tests have started.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const [{ temporary }] = (await once(child, "message")) as [{ temporary?: string }];
    this.#temporary = temporary;
    return child;
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
    }
    // A killed process leaves its folder of temporary files behind.
    if (this.#temporary !== undefined && this.#temporary !== process.env["TMPDIR"])
      rmSync(this.#temporary, { recursive: true, force: true });
  }
}

const lastBegun = (lines: readonly Line[]): number =>
  lines.reduce((index, line) => ("begins" in line ? line.begins : index), -1);

function readLines(path: string): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}
