import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Claim, isRecording, recordClaim } from "../../support/claims.ts";
import { createTempFolder } from "../../support/cli.ts";
import { chooseScale } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

// The machine's time zone must not affect availability. The short version runs each property a few
// times; the full version runs it on ten thousand generated businesses per zone.

const VITEST = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const ROOT = join(import.meta.dirname, "../../..");
const RUNS = chooseScale(5, 2500, 10);
const CONTROL_RUNS = 10;
const SUITE = "test/domain/availability";

const ZONES = chooseScale(
  ["Asia/Kolkata"],
  ["Asia/Kolkata", "Pacific/Apia", "UTC", "America/Los_Angeles"],
  ["Asia/Kolkata", "Pacific/Apia"],
);

type Output = { stdout: string; stderr: string };

/** Runs the tests of a folder or file in a time zone. Returns their number, and how many passed. */
async function runTests(path: string, zone: string, runs: number, ...options: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TZ: zone, DESKBELL_RUNS: String(runs), NO_COLOR: "1" };
  // All files run in one process, because starting and importing takes longer than the tests.
  const args = ["run", "--no-isolate", "--maxWorkers=1", "--reporter=dot", ...options, path];
  const run = promisify(execFile)(process.execPath, [VITEST, ...args], { cwd: ROOT, env });
  // A run with failed tests exits with an error that has the output, too.
  const { stdout, stderr } = await run.catch((error: Output) => error);
  const [, passed, all] =
    /Tests +(?:\d+ failed \| )?(?:(\d+) passed )?\((\d+)\)/.exec(stdout) ?? [];
  return { passed: Number(passed ?? 0), all: Number(all), output: stdout + stderr };
}

/** Runs the tests of a program that counts the days of a date in the machine's time zone. */
async function runControl(zone: string): Promise<Claim["control"]> {
  const config = join(createTempFolder(), "vitest.config.mjs");
  writeFileSync(
    config,
    `export default {
      plugins: [{
        name: "insert-bug",
        transform: (code, path) =>
          path.endsWith("src/domain/availability/wall-clock.ts")
            ? code.replace("Date.UTC(", "+new Date(")
            : undefined,
      }],
    };`,
  );
  const path = `${SUITE}/slot.test.ts`;
  const options = ["--root", ROOT, "--config", config];
  const { passed, all } = await runTests(path, zone, CONTROL_RUNS, ...options);
  return {
    done: "The properties were tested in a program that counts days in the time zone of the machine.",
    figure: `${all - passed} of ${all} properties failed.`,
    hasFailed: passed < all,
  };
}

test.each(ZONES)(
  "availability is the same on a machine in %s",
  { timeout: patient(120_000 + 500 * RUNS) },
  async (zone) => {
    const { passed, all, output } = await runTests(SUITE, zone, RUNS);
    expect(passed, output).toBe(all);
    expect(passed).toBeGreaterThan(100);
    // The bug of the control changes nothing on a machine in UTC.
    if (!isRecording() || zone === "UTC") return;
    recordClaim({
      group: "simulate",
      claim: `The time zone of the machine, such as ${zone}, changes no free time`,
      done: `The ${all} tests of availability were run with TZ=${zone}, and those of random businesses with ${RUNS} businesses each.`,
      figure: `${passed} of ${all} passed.`,
      control: await runControl(zone),
      seed: "none",
    });
  },
);

test("TZ sets the time zone of a child process", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "new Date(0).getHours()"], {
    env: { TZ: "Asia/Kolkata" },
  });
  expect(stdout.trim()).toBe("5");
});
