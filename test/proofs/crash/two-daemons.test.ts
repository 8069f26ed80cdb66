import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { breakProgram } from "../../support/broken-program.ts";
import type { StartedProgram } from "../../support/cli.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createSeededSalon, spawnDaemon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { type Program, PROGRAM } from "../../support/program.ts";
import { chooseScale } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

const RACES = chooseScale(1, 100, 3);
/**
 * How long a daemon has run when another one starts. A lock that expires by itself would have
 * expired by then.
 */
const RUNS_FOR_MS = chooseScale(4000, 20_000, 5000);

/**
 * Starts two daemons on the same data. Returns the exit of the first that ends, and the daemons
 * that still run.
 */
async function race(dataDir: string) {
  const pair = [spawnDaemon(dataDir), spawnDaemon(dataDir)] as const;
  const loser = await Promise.race(pair.map((daemon) => daemon.waitForExit()));
  const running = pair.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  return { loser, running };
}

async function end({ child, waitForExit }: StartedProgram, signal: "SIGTERM" | "SIGKILL") {
  child.kill(signal);
  return waitForExit();
}

/** Returns how many of two daemons serve. */
async function countServing(program: Program): Promise<number> {
  const { dataDir } = await createSeededSalon();
  const pair = [spawnDaemonOf(program, dataDir), spawnDaemonOf(program, dataDir)];
  const outcomes = await Promise.all(
    pair.map((daemon) =>
      waitForUrl(daemon).then(
        () => true,
        () => false,
      ),
    ),
  );
  await sleep(500);
  const serving = pair.filter(({ child }, i) => outcomes[i] && child.exitCode === null);
  for (const daemon of serving) await end(daemon, "SIGKILL");
  return serving.length;
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const without = breakProgram({
    file: "src/store/database/database.ts",
    find: '    db.exec("BEGIN EXCLUSIVE");\n',
    replace: "",
  });
  const releasing = breakProgram({
    file: "src/store/database/database.ts",
    find: "    const lock = tryDaemonLock(path);\n",
    replace:
      "    const lock = tryDaemonLock(path);\n    setTimeout(() => lock?.close(), 3000).unref();\n",
  });
  const serving = await countServing(without);
  const refusals = await countRefusals(releasing);
  return {
    done: "Two daemons that do not take the lock started at the same moment, and three others while a daemon ran that gives the lock up after 3 s.",
    figure: `${serving} of the first two served, and ${refusals} of the three others were refused.`,
    hasFailed: serving === 2 && refusals < 3,
  };
}

/** Starts three daemons while another one runs, and returns how many of them are refused. */
async function countRefusals(program: Program): Promise<number> {
  const { dataDir, deskbell } = await createSeededSalon();
  const first = spawnDaemonOf(program, dataDir);
  await waitForUrl(first);
  const isRefused = async () => {
    const second = spawnDaemonOf(program, dataDir);
    const serves = waitForUrl(second).then(
      () => true,
      () => false,
    );
    const exits = second.waitForExit().then(({ code }) => code === 5);
    const refused = await Promise.race([exits, serves.then((does) => !does && exits)]);
    await end(second, "SIGKILL");
    return refused;
  };
  const results: boolean[] = [];
  await sleep(RUNS_FOR_MS);
  results.push(await isRefused());
  first.child.kill("SIGHUP");
  results.push(await isRefused());
  await deskbell("backup", "create");
  results.push(await isRefused());
  await end(first, "SIGKILL");
  return results.filter(Boolean).length;
}

test(
  `one of two daemons that start at the same moment serves and the other exits with 5 (${RACES} times)`,
  { timeout: patient(chooseScale(60_000, 600_000, 120_000)) },
  async () => {
    const { dataDir } = await createSeededSalon();
    for (let run = 0; run < RACES; run++) {
      const { loser, running } = await race(dataDir);
      expect(loser).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^error: Another deskbell daemon or a restore is running on .*\nfix: /,
        ),
      });
      expect(running).toHaveLength(1);
      for (const winner of running) {
        await waitForUrl(winner);
        // Every other winner is killed, so that the next race follows a crash.
        const exit = await end(winner, run % 2 === 0 ? "SIGKILL" : "SIGTERM");
        if (run % 2 === 1) expect(exit).toMatchObject({ code: 0 });
      }
    }
    expect(await countRefusals(PROGRAM)).toBe(3);
    if (!isRecording()) return;
    recordClaim({
      group: "crash",
      claim: "Two daemons never use the same data",
      done: `Two daemons started at the same moment on the same data, ${RACES} times, half of them after a kill -9; others started ${RUNS_FOR_MS / 1000} s after the start of a daemon, after a SIGHUP and after a backup.`,
      figure:
        "Each time one daemon served, and the other exited with 5 and named the data that are in use.",
      control: await runControl(),
      seed: "none",
    });
  },
);
