import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildTarget, getCommand } from "./build-target.ts";
import { getTarget } from "./targets.ts";

// npm run test:arm64: runs the tests of the executable with the one for Linux arm64, emulated.

const ROOT = resolve(import.meta.dirname, "../..");
const FILE = join(ROOT, "dist/deskbell-arm64");
const PROGRAM = `${FILE}-emulated`;

const target = getTarget("linux-arm64");
await buildTarget(target, FILE);
// The program sees the name of the script as its own (-0), as it would without the emulator.
const [emulator, ...args] = getCommand(target, FILE);
writeFileSync(PROGRAM, `#!/bin/sh\nexec ${emulator} -0 "$0" ${args.join(" ")} "$@"\n`, {
  mode: 0o755,
});
const { status } = spawnSync("vitest", ["run", "--testTimeout=300000", "test/e2e/executable"], {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...process.env, DESKBELL_PROGRAM: PROGRAM, DESKBELL_PROGRAM_IS_EMULATED: "1" },
});
process.exitCode = status ?? 1;
