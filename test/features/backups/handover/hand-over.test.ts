import type * as State from "../../../../src/features/backups/handover/state.ts";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { openRuntime } from "../../../../src/app/runtime.ts";
import { listBackupsIn } from "../../../../src/features/backups/backups.ts";
import { handOver, NO_WRITERS } from "../../../../src/features/backups/handover/hand-over.ts";
import { readHandover, saveHandover } from "../../../../src/features/backups/handover/state.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

vi.mock("../../../../src/features/backups/handover/state.ts", { spy: true });

const STATE = "../../../../src/features/backups/handover/state.ts";

test("a handover that fails resumes the deliveries that it paused, and the server goes on", async () => {
  const rt = createTestRuntime();
  const steps: string[] = [];
  const daemon = openRuntime(rt.config, 5000, { isDaemon: true, log: () => {} });
  onTestFinished(() => daemon.close());
  const reason = await handOver(daemon, createTempFolder(), {
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
  expect(steps).toEqual(["pause", "refuse", "resume"]);
  expect(reason).toContain("no connection to the thread");
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

test.each([
  { what: "its begin", stored: 0, expected: ["pause", "resume"] },
  { what: "its failure", stored: 1, expected: ["pause", "refuse", "resume"] },
])(
  "a handover whose disk is too full to store $what resumes the deliveries and accepts writes",
  async ({ stored, expected }) => {
    const rt = createTestRuntime();
    const steps: string[] = [];
    const logged: string[] = [];
    const daemon = openRuntime(rt.config, 5000, {
      isDaemon: true,
      log: (_level, message) => void logged.push(message),
    });
    onTestFinished(() => daemon.close());
    const to = createTempFolder();
    saveHandover(rt.config, { state: "asked", to, at: rt.now() });
    const { saveHandover: save } = await vi.importActual<typeof State>(STATE);
    onTestFinished(() => void vi.mocked(saveHandover).mockReset());
    let calls = 0;
    vi.mocked(saveHandover).mockImplementation((place, handover) => {
      if (calls++ < stored) return save(place, handover);
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    });
    const reason = await handOver(daemon, to, {
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
    expect(steps).toEqual(expected);
    expect(reason).toContain(stored === 0 ? "no space left" : "no connection to the thread");
    expect(logged).toContain("The failure of the handover could not be stored.");
    expect(readHandover(rt.config)).toBeUndefined();
    rt.tx(() => {});
  },
);

test("a handover that fails after its last copy was made deletes the copy, so that no server continues from it", async () => {
  const rt = createTestRuntime({}, Date.now());
  addBusiness(rt);
  const daemon = openRuntime(rt.config, 5000, { isDaemon: true, log: () => {} });
  onTestFinished(() => daemon.close());
  const to = createTempFolder();
  const { saveHandover: save } = await vi.importActual<typeof State>(STATE);
  onTestFinished(() => void vi.mocked(saveHandover).mockReset());
  let copies = 0;
  vi.mocked(saveHandover).mockImplementation((place, handover) => {
    if (handover.state !== "done") return save(place, handover);
    copies = listBackupsIn(to).length;
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  expect(await handOver(daemon, to, NO_WRITERS)).toContain("no space left");
  expect([copies, listBackupsIn(to)]).toEqual([1, []]);
});
