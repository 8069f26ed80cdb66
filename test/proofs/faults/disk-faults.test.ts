import { cpSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordClaim } from "../../support/claims.ts";
import { createTempFolder, startProgram } from "../../support/cli.ts";
import {
  CONTENTS,
  createTemplates,
  WRITING_COMMANDS,
  type WritingCommand,
} from "../../support/disk/commands.ts";
import {
  countCalls,
  createPlanFile,
  type FaultPlan,
  NO_FAULTS,
  WITHOUT_END,
  writePlan,
} from "../../support/disk/fault-plan.ts";
import { canPreload, createFolderInMemory, prepareDisk } from "../../support/disk/library.ts";
import { listLost } from "../../support/disk/oracle.ts";
import { listPlans, startFaultyProcess } from "../../support/disk/sweep.ts";
import { chooseScale } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

// A library that is loaded into deskbell makes each disk call of each command fail once: the first
// write, the second, and so on, and likewise each sync, open, rename and deletion.

/** SWEEP=seed,restore limits the proof to these commands. The suite runs a few faults of two. */
const ONLY = process.env["SWEEP"]?.split(",");
const ALL = Object.keys(WRITING_COMMANDS);
const COMMANDS = ONLY ?? chooseScale(ALL.slice(0, 2), ALL, ALL);
const STEP = chooseScale(25, 1, 40);

const DOES_SERVE = chooseScale(false, true, true) && ONLY === undefined;
const { EIO } = constants.errno;

/** A plan with which the disk claims success for each write, but stores nothing. */
const LYING: FaultPlan = { kinds: "W", first: 1, last: WITHOUT_END, error: 0 };

describe.skipIf(!canPreload)("when any call to the disk fails", () => {
  test(
    "a command has its whole effect or names the disk when a call fails, and can be repeated",
    { timeout: patient(1_800_000) },
    async () => {
      const disk = prepareDisk(createFolderInMemory());
      const templates = createTempFolder();
      await createTemplates(templates, COMMANDS);
      const runFaulty = await startFaultyProcess(disk);
      const dataDir = join(disk.dataDir, "data");

      /** Returns what was wrong with a run. */
      async function sweepOne(command: WritingCommand, plan: FaultPlan): Promise<string[]> {
        const copyOf = join(templates, command.template);
        const args = command.args(copyOf, templates).map((arg) => arg.replace(copyOf, dataDir));
        const kept = CONTENTS[command.template];
        const failed = await runFaulty({ args, dataDir, copyOf, plan });
        const lost = [...listLost(dataDir, kept), ...(command.listLost?.(dataDir) ?? [])];
        const problems = lost.map((what) => `after exit ${failed.code}, lost: ${what}`);
        if (failed.code !== 0 && !isClear(failed.stderr, dataDir)) problems.push(failed.stderr);
        if (failed.code === 0)
          problems.push(...(await command.listMissing(dataDir, failed.stdout)));
        const next = await runFaulty({ args, dataDir, plan: NO_FAULTS });
        if (next.code === 0) problems.push(...(await command.listMissing(dataDir, next.stdout)));
        else if (!IS_DONE.test(next.stderr)) problems.push(`The next run failed: ${next.stderr}`);
        return problems;
      }

      const failures: string[] = [];
      let runs = 0;
      let lies = 0;
      for (const name of COMMANDS) {
        const command = WRITING_COMMANDS[name];
        if (command === undefined) throw new Error(`There is no command '${name}'.`);
        const copyOf = join(templates, command.template);
        const args = command.args(copyOf, templates).map((arg) => arg.replace(copyOf, dataDir));
        const plans = await listPlans(async (kinds) => {
          const plan = { ...NO_FAULTS, kinds };
          const { code, stderr, calls } = await runFaulty({ args, dataDir, copyOf, plan });
          expect(code, stderr).toBe(0);
          return calls;
        });
        for (const plan of plans.filter((_, i) => i % STEP === 0)) {
          runs += 1;
          for (const problem of await sweepOne(command, plan))
            failures.push(`${name}, ${JSON.stringify(plan)}: ${problem}`);
        }
        if ((await sweepOne(command, LYING)).length > 0) lies += 1;
      }
      expect(failures.slice(0, 10)).toEqual([]);
      recordClaim({
        group: "faults",
        claim: "When any call to the disk fails, a command has its whole effect or names the disk",
        done: `The n-th write, sync, open, rename and deletion of ${COMMANDS.length} commands failed, for every n, in ${runs} runs.`,
        figure:
          "No run had half an effect, lost anything or gave an unclear message, and each next run worked.",
        control: {
          done: "The commands ran on a disk that claims success and writes nothing.",
          figure: `${lies} of ${COMMANDS.length} commands claimed an effect that was not there; the others read back what they had written.`,
          hasFailed: lies > 0,
        },
        seed: "none",
      });
    },
  );

  test.skipIf(!DOES_SERVE)(
    "the daemon starts or names the disk when a call fails, and its data are intact",
    { timeout: patient(1_800_000) },
    async () => {
      const disk = prepareDisk(createFolderInMemory());
      const templates = createTempFolder();
      await createTemplates(templates, ["restore"]);
      const dataDir = join(disk.dataDir, "data");
      const planFile = join(disk.folder, "faults");
      createPlanFile(planFile);
      const env = { ...disk.env, DISK_FAULTS: planFile };
      const args = ["serve", "--port", "0", "--log-format", "json", "--data-dir", dataDir];

      /** Starts the daemon, and stops it when it serves. */
      async function serve(plan: FaultPlan) {
        rmSync(dataDir, { recursive: true, force: true });
        cpSync(join(templates, "edited"), dataDir, { recursive: true });
        writePlan(planFile, plan);
        const daemon = startProgram(args, { env });
        const isServing = await daemon.waitForOutput(/"serving"/).then(
          () => true,
          () => false,
        );
        daemon.child.kill("SIGTERM");
        const result = await daemon.waitForExit();
        const calls = countCalls(planFile);
        writePlan(planFile, NO_FAULTS);
        return { ...result, isServing, calls };
      }

      const failures: string[] = [];
      const plans = await listPlans(async (kinds) => (await serve({ ...NO_FAULTS, kinds })).calls);
      let refusals = 0;
      // Each fault occurs once, because a daemon takes ten seconds to stop while the disk is full.
      const chosen = plans
        .filter((_, i) => i % STEP === 0)
        .map((plan) => ({ ...plan, last: plan.first }));
      for (const plan of chosen) {
        const { code, signal, stderr, isServing } = await serve(plan);
        const isUnderstood = isServing && code === 0 ? true : isClear(stderr, dataDir);
        // SIGTERM can end a daemon that has stopped but not yet exited, because Node removes the
        // handlers of signals before it exits.
        const hasStopped = signal === "SIGTERM" && stderr.includes('"stopping"');
        if (!isUnderstood || (code === null && !hasStopped))
          failures.push(`${JSON.stringify(plan)}: exit ${code ?? signal}, ${stderr}`);
        if (!isServing) refusals += 1;
        failures.push(...listLost(dataDir, CONTENTS.edited));
      }
      expect(failures.slice(0, 10)).toEqual([]);
      const broken = await serve({ kinds: "O", first: 1, last: WITHOUT_END, error: EIO });
      recordClaim({
        group: "faults",
        claim: "When any call to the disk fails, the daemon starts or names the disk",
        done: `The n-th write, sync, open, rename and deletion of a start and stop failed, for every n, in ${chosen.length} runs.`,
        figure: `${refusals} starts were refused with a message that names the disk, and no data were lost.`,
        control: {
          done: "Every open failed.",
          figure: `The daemon exited with ${broken.code}.`,
          hasFailed: broken.code !== 0,
        },
        seed: "none",
      });
    },
  );
});

/**
 * Errors of a repeated command that show that the failed one had its effect, for example because
 * only its output failed.
 */
const IS_DONE = /already exists|already named|not available|is not free|taken/;

/** Returns whether an error names the file or folder, and blames no bug. */
const isClear = (stderr: string, dataDir: string): boolean =>
  stderr.includes(dataDir) && !/internal|bug/i.test(stderr);
