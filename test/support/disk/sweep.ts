import { fork } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createPlanFile, type FaultPlan, WITHOUT_END } from "./fault-plan.ts";
import type { FaultyResult, FaultyRun } from "./faulty-process.ts";
import type { prepareDisk } from "./library.ts";

const { EIO, ENOSPC } = constants.errno;
/** How each kind of call fails, by its letter in `library.c`. A full disk stays full. */
const FAULTS: readonly { kinds: string; error: number; stays: boolean }[] = [
  { kinds: "W", error: EIO, stays: false },
  { kinds: "CTW", error: ENOSPC, stays: true },
  { kinds: "O", error: EIO, stays: false },
  { kinds: "S", error: EIO, stays: false },
  { kinds: "D", error: EIO, stays: false },
  { kinds: "LMRU", error: EIO, stays: false },
  { kinds: "T", error: EIO, stays: false },
];

/** Starts the process that runs commands while calls to the disk fail. */
export async function startFaultyProcess({ folder, env }: ReturnType<typeof prepareDisk>) {
  const plan = join(folder, "faults");
  createPlanFile(plan);
  const program = fileURLToPath(new URL("./faulty-process.ts", import.meta.url));
  const child = fork(program, {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...process.env, ...env, DISK_FAULTS: plan },
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const answer = async () => (await Promise.race([once(child, "message"), ended]))[0] as unknown;
  await answer();
  return async (run: FaultyRun): Promise<FaultyResult> => {
    child.send(run);
    const result = await answer();
    if (typeof result !== "object" || result === null)
      throw new Error(`The process ended during ${run.args[0]}.`);
    return result as FaultyResult;
  };
}

/**
 * Returns one plan for each disk call of a run, which makes this call fail. If the fault is a full
 * disk, all later calls fail, too.
 * @param countCalls returns how many calls of some kinds a run makes
 */
export async function listPlans(countCalls: (kinds: string) => Promise<number>) {
  const plans: FaultPlan[] = [];
  for (const { kinds, error, stays } of FAULTS) {
    const calls = await countCalls(kinds);
    for (let first = 1; first <= calls; first++)
      plans.push({ kinds, error, first, last: stays ? WITHOUT_END : first });
  }
  return plans;
}
