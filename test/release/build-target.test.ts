import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import { buildExecutable, prebuiltAddon } from "../../.config/executable.ts";
import { findCommand } from "../../.config/release/build-target.ts";
import { fetchNode } from "../../.config/release/downloads.ts";
import { getTarget } from "../../.config/release/targets.ts";
import { createTempFolder, startProgram } from "../support/cli.ts";
import { waitForUrl } from "../support/daemon.ts";
import { chooseScale } from "../support/scale.ts";

const target = getTarget("linux-arm64");
const MINUTE = 60_000;

/** Returns the path of Node for the target. The test is skipped if npm cannot download it. */
function fetchNodeOrSkip({ skip }: TestContext): string {
  vi.stubEnv("npm_config_fetch_retries", "0");
  try {
    return fetchNode(target);
  } catch (error) {
    const hasNpmFailed = error instanceof Error && "status" in error;
    if (hasNpmFailed) skip(`npm cannot download ${target.node.package}`);
    throw error;
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Builds the executable for arm64 and returns the command that runs it in an emulator. */
async function buildOrSkip(context: TestContext) {
  const file = join(createTempFolder(), "deskbell");
  const command = findCommand(target, file);
  if (command === undefined)
    return context.skip("needs qemu-user, libstdc++6-arm64-cross and libatomic1-arm64-cross");
  const node = fetchNodeOrSkip(context);
  // Writing a code cache would take longer than the cache saves here.
  await buildExecutable({ out: file, node, run: null, addon: prebuiltAddon(target.name) });
  return { command, isStandalone: true };
}

const CAN_EMULATE = process.platform === "linux" && process.arch === "x64";
const IS_FULL = chooseScale(false, true);

// `npm run test:arm64` runs all tests of the executable instead.
test.runIf(CAN_EMULATE && !IS_FULL)(
  "the executable for arm64, emulated, stores a catalog",
  async (context) => {
    const program = await buildOrSkip(context);
    const data = ["--data-dir", join(createTempFolder(), "data")];
    const seeding = startProgram(["seed", "salon", ...data], { program });
    expect(await seeding.waitForExit(2 * MINUTE)).toMatchObject({ code: 0 });
  },
  5 * MINUTE,
);

test.runIf(CAN_EMULATE && IS_FULL)(
  "the executable for arm64, emulated, serves a request and stops on SIGTERM",
  async (context) => {
    const program = await buildOrSkip(context);
    const data = ["--data-dir", join(createTempFolder(), "data")];
    const daemon = startProgram(["serve", "--port", "0", "--log-format", "json", ...data], {
      program,
    });
    const response = await fetch(`${await waitForUrl(daemon, 2 * MINUTE)}/readyz`);
    expect(await response.json()).toEqual({ status: "ready" });
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit(MINUTE)).toMatchObject({ code: 0 });
  },
  5 * MINUTE,
);
