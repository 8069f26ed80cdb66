import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildTarget, getCommand } from "./build-target.ts";
import { getTarget } from "./targets.ts";

// npm run test:arm64: runs the tests of the executable with the executable for Linux arm64,
// emulated.

const folder = mkdtempSync(join(tmpdir(), "deskbell-arm64-"));
try {
  const target = getTarget("linux-arm64");
  const file = join(folder, "deskbell");
  await buildTarget(target, file);
  // The option -0 makes the program see the name of the script as its own name, as it would without
  // the emulator.
  const [emulator, ...args] = getCommand(target, file);
  const script = join(folder, "emulated");
  writeFileSync(script, `#!/bin/sh\nexec ${emulator} -0 "$0" ${args.join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  const { status } = spawnSync("vitest", ["run", "--testTimeout=300000", "test/e2e/executable"], {
    cwd: resolve(import.meta.dirname, "../.."),
    stdio: "inherit",
    env: { ...process.env, DESKBELL_PROGRAM: script, DESKBELL_PROGRAM_IS_EMULATED: "1" },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
