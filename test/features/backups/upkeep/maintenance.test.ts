import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readBackupState } from "../../../../src/features/backups/state.ts";
import { runMaintenance } from "../../../../src/features/backups/upkeep/maintenance.ts";
import { contains, leaveOldSpace } from "../../../support/old-database.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

test("the nightly maintenance makes a backup, then rewrites a database in which version 0.2 left erased guests", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  leaveOldSpace(rt, "old guest");
  expect(contains(rt, "old guest").file).toBe(true);
  await runMaintenance(rt, { backUp: false });
  expect(contains(rt, "old guest").file).toBe(true);
  await runMaintenance(rt, { backUp: true });
  expect(contains(rt, "old guest")).toEqual({ file: false, log: false });
  const [first, second] = rt.logged.map(({ message }) => message);
  expect([first, second]).toEqual(["backed up", expect.stringMatching(/^rewrote the database/)]);
});

test("a failed first nightly backup is the only error that is logged, and no drill is tried", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  writeFileSync(rt.config.backupFolder, "");
  await runMaintenance(rt, { backUp: true });
  const failures = rt.logged.filter(({ level }) => level === "error");
  expect(failures.map(({ message }) => message)).toEqual(["The nightly backup failed."]);
});

test("all events and backups are read again only by a nightly run, and only when the next round is due", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  const startedAt = async (backUp: boolean) => {
    await runMaintenance(rt, { backUp });
    return readBackupState(rt.config, "scrub")?.startedAt;
  };
  expect(await startedAt(false)).toBeUndefined();
  const first = rt.now();
  expect(await startedAt(true)).toBe(first);
  rt.advance(DAY_MS);
  expect(await startedAt(true)).toBe(first);
  rt.advance(5 * DAY_MS);
  expect(await startedAt(false)).toBe(first);
  expect(await startedAt(true)).toBe(rt.now());
});
