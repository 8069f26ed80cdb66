import { cpSync, rmSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { explainFailure } from "../../../src/cli/failure.ts";
import { run } from "../../../src/cli/run.ts";
import { countCalls, type FaultPlan, NO_FAULTS, writePlan } from "./fault-plan.ts";

// A process that runs commands, one after the other, while calls to the disk fail. A process for
// each command would take ten times as long. DISK_FAULTS names the file with the plan, which
// `library.c` reads.

export type FaultyRun = {
  args: string[];
  dataDir: string;
  /** The folder whose copy replaces the data folder before the run. */
  copyOf?: string;
  plan: FaultPlan;
};
/** The result of a run. `calls` is the number of system calls whose kind is in the plan. */
export type FaultyResult = { code: number; stdout: string; stderr: string; calls: number };

const PLAN_FILE = process.env["DISK_FAULTS"] ?? "";

async function runFaulty({ args, dataDir, copyOf, plan }: FaultyRun): Promise<FaultyResult> {
  if (copyOf !== undefined) {
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(copyOf, dataDir, { recursive: true });
  }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: Object.assign(Readable.from([]), { isTTY: false }), stdout, stderr };
  const uncaught = Promise.withResolvers<number>();
  const onUncaught = (error: unknown) => {
    const { text, exitCode } = explainFailure(error, "deskbell");
    stderr.write(text);
    uncaught.resolve(exitCode);
  };
  process.once("uncaughtException", onUncaught);
  writePlan(PLAN_FILE, plan);
  const command = run("deskbell", ["--data-dir", dataDir, ...args], io);
  const code = await Promise.race([command, uncaught.promise]);
  const calls = countCalls(PLAN_FILE);
  writePlan(PLAN_FILE, NO_FAULTS);
  process.off("uncaughtException", onUncaught);
  const textOf = (stream: PassThrough) => String(stream.read() ?? "");
  return { code, stdout: textOf(stdout), stderr: textOf(stderr), calls };
}

process.on("message", async (request: FaultyRun) => process.send?.(await runFaulty(request)));
process.send?.("ready");
