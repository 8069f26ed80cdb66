import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runMaintenance } from "../../../../src/features/backups/upkeep/maintenance.ts";
import { contains, leaveOldSpace } from "../../../support/old-database.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

test("the nightly maintenance backs up the database, then rewrites it if version 0.2 left the bytes of erased guests in the file", async () => {
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

test("a failure of the first nightly backup is all that is logged, and no drill is tried", async () => {
  const rt = createTestRuntime();
  addBusiness(rt);
  writeFileSync(rt.config.backupFolder, "");
  await runMaintenance(rt, { backUp: true });
  const failures = rt.logged.filter(({ level }) => level === "error");
  expect(failures.map(({ message }) => message)).toEqual(["The nightly backup failed."]);
});
