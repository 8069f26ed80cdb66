import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

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

test.skipIf(process.platform !== "linux")(
  "data that was deleted under a process is reported by every command, not created again",
  async () => {
    const dataDir = join(createTempFolder(), "data");
    createTestRuntime({ dataDir });
    rmSync(dataDir, { recursive: true });
    const { deskbell } = createTerminal({ dataDir });
    for (const line of ["businesses list", "status", "doctor", "seed salon"])
      expect(await deskbell(line)).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /^error: \S+deskbell\.db was deleted while process \d+ uses it.*\nfix: stop it with kill \d+, then restore a backup: deskbell restore FILE/,
        ),
      });
  },
);
