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
