import type * as State from "../../../../src/features/backups/handover/state.ts";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openRuntime } from "../../../../src/app/runtime.ts";
import { readBackupTag } from "../../../../src/features/backups/authenticity.ts";
import { listBackupsIn } from "../../../../src/features/backups/backups.ts";
import { handOver, NO_WRITERS } from "../../../../src/features/backups/handover/hand-over.ts";
import {
  forgetHandover,
  type Handover,
  readHandover,
  saveHandover,
} from "../../../../src/features/backups/handover/state.ts";
import { watchForHandover } from "../../../../src/features/backups/handover/watch.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

vi.mock("../../../../src/features/backups/handover/state.ts", { spy: true });

const { saveHandover: save } = await vi.importActual<typeof State>(
  "../../../../src/features/backups/handover/state.ts",
);

afterEach(() => void vi.mocked(saveHandover).mockImplementation(save));

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
  let copies = 0;
  vi.mocked(saveHandover).mockImplementation((place, handover) => {
    if (handover.state !== "done") return save(place, handover);
    copies = listBackupsIn(to).length;
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  expect(await handOver(daemon, to, NO_WRITERS)).toContain("no space left");
  expect([copies, listBackupsIn(to)]).toEqual([1, []]);
});

/** Opens a server as its daemon does, and records what a handover does to its writers. */
function openDaemon() {
  const rt = createTestRuntime({}, Date.now());
  addBusiness(rt);
  const daemon = openRuntime(rt.config, 5000, { isDaemon: true, log: () => {} });
  onTestFinished(() => daemon.close());
  const steps: string[] = [];
  const record = (step: string) => async () => void steps.push(step);
  const writers = {
    pauseDeliveries: record("pause"),
    refuseWrites: () => void steps.push("refuse"),
    resume: record("resume"),
  };
  return { daemon, steps, writers, to: createTempFolder() };
}

test("a handover does not take place once its command has stopped waiting", async () => {
  const { daemon, steps, writers, to } = openDaemon();
  saveHandover(daemon.config, { state: "asked", to, at: daemon.now() });
  const pauseDeliveries = async () => {
    await writers.pauseDeliveries();
    forgetHandover(daemon.config);
  };
  const reason = await handOver(daemon, to, { ...writers, pauseDeliveries });
  expect(reason).toContain("has given up");
  expect(steps).toEqual(["pause", "resume"]);
  expect(listBackupsIn(to)).toEqual([]);
  daemon.tx(() => {});
});

test("a handover whose command has stopped waiting keeps the request of another handover command", async () => {
  const { daemon, steps, writers, to } = openDaemon();
  saveHandover(daemon.config, { state: "asked", to, at: daemon.now() });
  const asked: Handover = { state: "asked", to: createTempFolder(), at: daemon.now() + 60_000 };
  const pauseDeliveries = async () => {
    await writers.pauseDeliveries();
    saveHandover(daemon.config, asked);
  };
  const reason = await handOver(daemon, to, { ...writers, pauseDeliveries });
  expect(reason).toContain("has given up");
  expect(steps).toEqual(["pause", "resume"]);
  expect(readHandover(daemon.config)).toEqual(asked);
  expect(await handOver(daemon, asked.to, writers)).toBeUndefined();
});

test("a handover during which another command asks for one is repeated with the changes made meanwhile", async () => {
  const { daemon, writers, to } = openDaemon();
  saveHandover(daemon.config, { state: "asked", to, at: daemon.now() });
  const asked: Handover = { state: "asked", to: createTempFolder(), at: daemon.now() + 1 };
  const refuseWrites = () => {
    // The command checked the state before the handover began, and stores its request only now.
    saveHandover(daemon.config, asked);
    writers.refuseWrites();
  };
  const reason = await handOver(daemon, to, { ...writers, refuseWrites });
  expect(reason).toContain("Another command has asked for a handover, which the server does next.");
  const isLast = { tag: { isLast: true } };
  for (const { path } of listBackupsIn(to))
    expect(readBackupTag(daemon.config, path)).not.toMatchObject(isLast);
  expect(readHandover(daemon.config)).toEqual(asked);
  addBusiness(daemon, "made-meanwhile");
  expect(await handOver(daemon, asked.to, writers)).toBeUndefined();
  const [copy] = listBackupsIn(asked.to);
  expect(readBackupTag(daemon.config, copy!.path)).toMatchObject(isLast);
  const restored = new Database(copy!.path, { readonly: true });
  onTestFinished(() => void restored.close());
  expect(restored.prepare("SELECT slug FROM business").pluck().all()).toContain("made-meanwhile");
});

test.each(["gone", "an empty mount point"])(
  "a failed handover says that its last copy may be left if its folder is %s",
  async (folder) => {
    const { daemon, writers, to } = openDaemon();
    vi.mocked(saveHandover).mockImplementation((place, handover) => {
      if (handover.state !== "done") return save(place, handover);
      renameSync(to, `${to}-away`);
      onTestFinished(() => rmSync(`${to}-away`, { recursive: true }));
      if (folder !== "gone") mkdirSync(to);
      throw new Error("no space left on device");
    });
    const reason = await handOver(daemon, to, writers);
    expect(reason).toContain(`the last copy may still be in ${to}`);
    expect(readHandover(daemon.config)).toMatchObject({ state: "failed", reason });
  },
);

test.each(["while the deliveries end", "before the last copy is made"])(
  "a daemon that is stopped %s ends its handover, and does not resume its deliveries",
  async (moment) => {
    const { daemon, steps, writers, to } = openDaemon();
    saveHandover(daemon.config, { state: "asked", to, at: daemon.now() });
    const end = vi.fn();
    let stopped: Promise<void> | undefined;
    const stop = (): void => void (stopped = endWatch());
    const endWatch = watchForHandover(daemon, {
      ...writers,
      async pauseDeliveries() {
        await writers.pauseDeliveries();
        if (moment === "while the deliveries end") stop();
      },
      refuseWrites() {
        writers.refuseWrites();
        stop();
      },
      end,
    });
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    expect(steps).not.toContain("resume");
    expect(end).not.toHaveBeenCalled();
    expect(readHandover(daemon.config)).toMatchObject({
      state: "failed",
      reason: "The daemon was told to stop.",
    });
    expect(listBackupsIn(to)).toEqual([]);
  },
);
