import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { openRuntime } from "../../../../src/app/runtime.ts";
import { handOver } from "../../../../src/features/backups/handover/hand-over.ts";
import { readHandover } from "../../../../src/features/backups/handover/state.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

test("a handover that fails resumes the deliveries that it paused, and the server goes on", async () => {
  const rt = createTestRuntime();
  const steps: string[] = [];
  const daemon = openRuntime(rt.config, 5000, { isDaemon: true, log: () => {} });
  onTestFinished(() => daemon.close());
  const isDone = await handOver(daemon, createTempFolder(), {
    async pauseDeliveries() {
      steps.push("pause");
    },
    refuseWrites() {
      steps.push("refuse");
      throw new Error("no connection to the thread");
    },
    async resume() {
      steps.push("resume");
    },
  });
  expect([isDone, steps]).toEqual([false, ["pause", "refuse", "resume"]]);
  expect(readHandover(rt.config)).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("no connection to the thread"),
  });
  rt.tx(() => {});
});

test("a handover waits for a command that was writing when it began, so that the last copy has the change", async () => {
  const rt = createTestRuntime();
  const steps: string[] = [];
  const daemon = openRuntime(rt.config, 0, { isDaemon: true, log: () => {} });
  onTestFinished(() => daemon.close());
  const command = new Database(rt.config.databasePath);
  onTestFinished(() => void command.close());
  await handOver(daemon, createTempFolder(), {
    async pauseDeliveries() {
      command.exec("BEGIN IMMEDIATE");
      setImmediate(() => {
        command.exec("COMMIT");
        steps.push("committed");
      });
    },
    refuseWrites() {
      steps.push("refuse");
      throw new Error("no copy is needed here");
    },
    resume: async () => {},
  });
  expect(steps).toEqual(["committed", "refuse"]);
});
