import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSegments, prepareNode } from "../../.config/executable.ts";
import { createTempFolder } from "../support/cli.ts";

test.runIf(process.platform === "linux")(
  "a stripped ELF program still runs, and its last segment ends at a multiple of 64 KB",
  () => {
    const file = readFileSync("/bin/true");
    const prepared = prepareNode(file);
    expect(prepared.length).toBeLessThan(file.length);
    const path = join(createTempFolder(), "true");
    writeFileSync(path, prepared, { mode: 0o755 });
    expect(spawnSync(path, ["--version"])).toMatchObject({ status: 0 });
    const ends = listSegments(prepared)
      .filter(({ type }) => type === 1)
      .map(({ address, size }) => address + size);
    expect(Math.max(...ends) % 65_536).toBe(0);
  },
);

test("a file that is not ELF is not changed", () => {
  const windows = Buffer.from("MZ, a program for Windows");
  expect(prepareNode(windows)).toBe(windows);
});
