import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createBackup,
  listBackups,
  listBackupsIn,
} from "../../../../src/features/backups/backups.ts";
import { backupNameBefore } from "../../../../src/features/backups/store/files.ts";
import { readBackupState, saveBackupState } from "../../../../src/features/backups/state.ts";
import {
  type MaintenanceOptions,
  runMaintenance,
} from "../../../../src/features/backups/upkeep/maintenance.ts";
import {
  createMaintenance,
  createMaintenanceRunner,
} from "../../../../src/features/backups/upkeep/maintenance-work.ts";
import { createTempFolder } from "../../../support/cli.ts";
import { seedShop } from "../../../support/shop.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const HOUR_MS = 3_600_000;

test("the maintenance thread makes a backup only if a backup is requested, and ends", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  await createMaintenanceRunner(rt.config)({ backUp: false });
  expect(listBackups(rt.config)).toEqual([]);
  await createMaintenanceRunner(rt.config)({ backUp: true });
  expect(listBackups(rt.config)).toHaveLength(1);
});

test("stopping the daemon ends a backup command that is running", async () => {
  const started = join(createTempFolder(), "pid");
  const backupCommand = `echo $$ >${started}.draft; mv ${started}.draft ${started}; sleep 60`;
  const rt = createTestRuntime({ backupCommand });
  seedShop(rt);
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = createMaintenanceRunner(rt.config)({ backUp: true, signal });
  await expect.poll(() => existsSync(started), { interval: 5 }).toBe(true);
  stopping.abort();
  await ended;
  expect(() => process.kill(Number(readFileSync(started, "utf8")), 0)).toThrow("ESRCH");
  expect(readBackupState(rt.config, "copy-failure")).toBeNull();
});

test("a backup is made once the interval of --backup-every has passed since the last try", async () => {
  const rt = createTestRuntime({ backupEveryMs: HOUR_MS });
  const runs: MaintenanceOptions[] = [];
  const { runIfDue, runNightly } = createMaintenance(rt, async (run) => void runs.push(run), {});
  const countAfter = async (ms: number) => {
    rt.advance(ms);
    await runIfDue();
    await runNightly();
    return runs.length;
  };
  await createBackup(rt);
  expect(await countAfter(HOUR_MS - 1)).toBe(0);
  await runIfDue();
  rt.advance(1);
  await runIfDue();
  expect(runs).toMatchObject([{ backUp: true }]);
  saveBackupState(rt.config, "failure", { at: rt.now(), reason: "full" });
  expect(await countAfter(HOUR_MS - 1)).toBe(1);
});

test("a last backup with a future time does not delay the next backup of --backup-every", async () => {
  const rt = createTestRuntime({ backupEveryMs: HOUR_MS });
  await createBackup(rt);
  rt.shiftClock(-2 * HOUR_MS);
  const runs: MaintenanceOptions[] = [];
  await createMaintenance(rt, async (run) => void runs.push(run), {}).runIfDue();
  expect(runs).toMatchObject([{ backUp: true }]);
});

test.each([
  ["the night after the first data", false],
  ["a night after the last backup", true],
])(
  "a machine that was off in %s makes the missed backup after its start",
  async (_when, hasBackup) => {
    const rt = createTestRuntime();
    seedShop(rt);
    if (hasBackup) await createBackup(rt);
    const runs: boolean[] = [];
    const runAfter = async (...waits: number[]) => {
      const { runIfDue } = createMaintenance(rt, async ({ backUp }) => void runs.push(backUp), {});
      for (const ms of waits) {
        rt.advance(ms);
        await runIfDue();
      }
      return runs;
    };
    expect(await runAfter(26 * HOUR_MS - 1)).toEqual([]);
    // Maintenance runs ten minutes after the start, not right after it.
    expect(await runAfter(1)).toEqual([]);
    // A try that made no backup is repeated after a day.
    expect(await runAfter(0, HOUR_MS / 6, 23 * HOUR_MS)).toEqual([true]);
  },
);

test("a nightly backup that becomes due during maintenance is made after it", async () => {
  const rt = createTestRuntime();
  const running = Promise.withResolvers<void>();
  const runs: boolean[] = [];
  const { runIfDue, runNightly } = createMaintenance(
    rt,
    async ({ backUp }) => {
      runs.push(backUp);
      await running.promise;
    },
    {},
  );
  const first = runNightly();
  await runNightly();
  expect(runs).toEqual([true]);
  running.resolve();
  await first;
  await runIfDue();
  expect(runs).toEqual([true, true]);
  await runIfDue();
  expect(runs).toEqual([true, true]);
});

test("a failure of the maintenance thread is logged, and recorded as a failed backup", async () => {
  const rt = createTestRuntime({ backupEveryMs: HOUR_MS });
  mkdirSync(rt.config.backupFolder);
  const { runIfDue } = createMaintenance(rt, () => Promise.reject(new Error("no thread")), {});
  await runIfDue();
  expect(rt.logged).toMatchObject([
    { level: "error", fields: { error: expect.stringContaining("no thread") } },
  ]);
  expect(readBackupState(rt.config, "failure")).toEqual({ at: rt.now(), reason: "no thread" });
});

test("a --backup-dir that is no longer mounted is noticed within an hour", async () => {
  const rt = createTestRuntime({ backupDir: join(createTempFolder(), "nas") });
  seedShop(rt);
  mkdirSync(rt.config.backupFolder);
  const { runIfDue } = createMaintenance(rt, (options) => runMaintenance(rt, options), {});
  rt.advance(HOUR_MS);
  await runIfDue();
  expect(readBackupState(rt.config, "copy-failure")).toMatchObject({
    name: null,
    reason: expect.stringContaining("there is no folder"),
  });
});

test("a backup that a command has made is copied within a second", async () => {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  seedShop(rt);
  const maintenance = createMaintenance(rt, (options) => runMaintenance(rt, options), {});
  await createBackup(rt);
  await maintenance.runIfChanged();
  expect(listBackupsIn(dir)).toHaveLength(1);
});

test("a backup is copied within a second, even if a migration has made another backup at that time", async () => {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  seedShop(rt);
  mkdirSync(rt.config.backupFolder, { recursive: true });
  const second = Math.floor(rt.now() / 1000) * 1000;
  writeFileSync(join(rt.config.backupFolder, backupNameBefore(1, second)), "");
  const maintenance = createMaintenance(rt, (options) => runMaintenance(rt, options), {});
  const { createdAt } = await createBackup(rt);
  expect(createdAt).toBe(second);
  await maintenance.runIfChanged();
  expect(listBackupsIn(dir)).toHaveLength(1);
});

test("a copy that fails is not tried again within a minute", async () => {
  const rt = createTestRuntime();
  seedShop(rt);
  await createBackup(rt);
  let runs = 0;
  const failing = async () => {
    runs += 1;
    saveBackupState(rt.config, "copy-failure", {
      at: rt.now(),
      name: null,
      reason: "full",
      tries: runs,
      since: rt.now(),
      dir: null,
      hasCommand: false,
    } as never);
  };
  const maintenance = createMaintenance(rt, failing, {});
  await maintenance.runIfDue();
  const first = runs;
  for (let second = 0; second < 5; second += 1) {
    utimesSync(rt.config.backupFolder, second + 1, second + 1);
    await maintenance.runIfChanged();
  }
  expect(runs).toBe(first);
});
