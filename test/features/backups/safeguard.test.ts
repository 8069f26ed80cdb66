import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { SALON } from "../../support/samples.ts";

test("an empty file next to a master key is not a new installation", () => {
  const dataDir = createTempFolder();
  const path = join(dataDir, "deskbell.db");
  writeFileSync(path, "");
  writeFileSync(join(dataDir, "master.key"), "");
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: `${path} is empty, but the master key of its data exists.`,
      fix: expect.stringContaining("deskbell restore FILE"),
    }),
  );
  expect(statSync(path).size).toBe(0);
  rmSync(path);
  createTestRuntime({ dataDir });
});

test("following the fix for an empty file next to backups creates a new database", async () => {
  const dataDir = join(createTempFolder(), "with space");
  const rt = createTestRuntime({ dataDir });
  const { path } = await createBackup(rt);
  rt.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(rt.config.databasePath + suffix, { force: true });
  writeFileSync(rt.config.databasePath, "");
  const { backupFolder } = rt.config;
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      message: `${rt.config.databasePath} is empty, but there are backups of it.`,
      fix: `put the file back, or deskbell restore '${path}'; or delete the empty file and move ${backupFolder} away to start from scratch`,
    }),
  );
  rmSync(rt.config.databasePath);
  renameSync(backupFolder, `${backupFolder}.away`);
  createTestRuntime({ dataDir });
});

test("a missing file is not replaced by a new one if there are backups of it", async () => {
  const dataDir = createTempFolder();
  const rt = createTestRuntime({ dataDir });
  const { path } = await createBackup(rt);
  rt.close();
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(rt.config.databasePath + suffix, { force: true });
  expect(() => createTestRuntime({ dataDir })).toThrow(
    expect.objectContaining({
      code: "state_refuses",
      message: `There is no ${rt.config.databasePath}, but there are backups of it.`,
      fix: expect.stringContaining(`deskbell restore ${path}`),
    }),
  );
  const { deskbell } = createTerminal({ dataDir });
  expect((await deskbell("status")).stderr).toMatch(/fix: .*deskbell restore --newest/);
  expect(await deskbell("restore --newest --yes")).toMatchObject({ code: 0 });
  expect(await deskbell("status")).toMatchObject({ stderr: "" });
});

test.skipIf(process.platform !== "linux")(
  "every command reports data that was deleted under a running process, and creates none",
  async () => {
    const dataDir = join(createTempFolder(), "data");
    createTestRuntime({ dataDir });
    rmSync(dataDir, { recursive: true });
    const { deskbell } = createTerminal({ dataDir });
    for (const line of ["businesses list", "status", `catalog apply ${SALON}`])
      expect(await deskbell(line)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^error: \S+deskbell\.db was deleted while process \d+ uses it.*\nfix: stop it with kill \d+, then restore a backup: deskbell restore FILE/,
        ),
      });
  },
);
