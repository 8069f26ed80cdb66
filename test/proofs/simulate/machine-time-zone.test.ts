import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { chooseScale } from "../../support/scale.ts";

// The machine's time zone must not affect availability. The short version runs each property a few
// times; the full version runs it on ten thousand generated businesses per zone.

const VITEST = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const ROOT = join(import.meta.dirname, "../../..");
const RUNS = chooseScale(10, 2500);
// One process for all files, because starting and importing takes longer than the tests.
const SUITE = [
  "run",
  "--no-isolate",
  "--maxWorkers=1",
  "--reporter=dot",
  "test/domain/availability",
];

const ZONES = ["Asia/Kolkata", "Pacific/Apia"];
const MORE_ZONES = ["UTC", "America/Los_Angeles"];

test.each(chooseScale(ZONES, [...ZONES, ...MORE_ZONES]))(
  "availability is the same on a machine in %s",
  { timeout: 60_000 + 500 * RUNS },
  async (zone) => {
    const env = { PATH: process.env["PATH"], TZ: zone, DESKBELL_RUNS: String(RUNS), NO_COLOR: "1" };
    const { stdout } = await promisify(execFile)(process.execPath, [VITEST, ...SUITE], {
      cwd: ROOT,
      env,
    });
    const [, passed = "0", all] = /Tests +(\d+) passed \((\d+)\)/.exec(stdout) ?? [];
    expect(passed).toBe(all);
    expect(Number(passed)).toBeGreaterThan(100);
  },
);

test("TZ sets the time zone of a child process", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "new Date(0).getHours()"], {
    env: { TZ: "Asia/Kolkata" },
  });
  expect(stdout.trim()).toBe("5");
});
