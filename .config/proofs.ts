import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Claim, type Group, GROUPS } from "../test/support/claims.ts";
import { describeCommit, describeMachine, describeVersions } from "./proofs/machine.ts";
import { type GroupRun, isProven, mergeReport } from "./proofs/report.ts";
import { installRequirements } from "./proofs/requirements.ts";

// npm run proofs -- [GROUP...] [--quick | --hours N] [--seed S]: runs the proofs of these groups
// (default: all) and writes their results to test/proofs/RESULTS.md. --quick takes less than 15
// minutes and writes RESULTS.quick.md. --hours repeats the groups with new seeds for that long.

const ROOT = resolve(import.meta.dirname, "..");
const HOUR_MS = 3_600_000;
const MAX_SEED = 1_000_000;

type VitestResult = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    hours: { type: "string", default: "0" },
    seed: { type: "string", default: String(randomInt(MAX_SEED)) },
  },
});
const [hours, seed] = [Number(values.hours), Number(values.seed)];
const unknown = positionals.filter((name) => !(GROUPS as readonly string[]).includes(name));
if (unknown.length > 0 || !(hours >= 0) || !Number.isSafeInteger(seed)) {
  console.error(`Usage: npm run proofs -- [${GROUPS.join("|")}] [--quick | --hours N] [--seed S]`);
  process.exit(2);
}
const groups = GROUPS.filter((name) => positionals.length === 0 || positionals.includes(name));
const size = values.quick ? "quick" : "full";
const report = join(ROOT, "test/proofs", values.quick ? "RESULTS.quick.md" : "RESULTS.md");
const folder = mkdtempSync(join(tmpdir(), "deskbell-proofs-"));
const about = {
  commit: describeCommit(),
  machine: describeMachine(),
  versions: describeVersions(),
  size,
} as const;

/** Runs the tests of a group once, and adds what they found to the run. */
async function runGroup(run: GroupRun, seed: number): Promise<void> {
  const [claims, results] = [join(folder, "claims"), join(folder, "results.json")];
  for (const file of [claims, results]) rmSync(file, { force: true });
  const startedAt = performance.now();
  const vitest = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules/vitest/vitest.mjs"),
      "run",
      `test/proofs/${run.group}/`,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${results}`,
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, PROOFS: size, PROOFS_SEED: String(seed), PROOFS_CLAIMS: claims },
    },
  );
  const [code] = (await once(vitest, "exit")) as [number | null];
  run.minutes += (performance.now() - startedAt) / 60_000;
  run.seeds.push(seed);
  run.claims = existsSync(claims)
    ? readFileSync(claims, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Claim)
    : [];
  const { testResults } = existsSync(results)
    ? (JSON.parse(readFileSync(results, "utf8")) as VitestResult)
    : { testResults: [] };
  const tests = testResults.flatMap((file) => file.assertionResults);
  const named = (status: string) =>
    tests.filter((test) => test.status === status).map((test) => test.fullName);
  run.skipped = named("skipped");
  const failed = named("failed");
  if (code !== 0 && failed.length === 0) failed.push(`vitest, with exit code ${code}`);
  run.failed.push(...failed.map((name) => `${name} (seed ${seed})`));
}

const unavailable = installRequirements(groups);
for (const line of unavailable) console.warn(`Skipped ${line}`);
execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT, stdio: "inherit" });
const endsAt = performance.now() + hours * HOUR_MS;
const runs: GroupRun[] = groups.map((group: Group) => ({
  ...about,
  group,
  date: new Date().toISOString(),
  seeds: [],
  minutes: 0,
  claims: [],
  failed: [],
  skipped: [],
}));
for (let round = 0; round === 0 || performance.now() < endsAt; round++)
  for (const run of runs) {
    await runGroup(run, seed + round);
    const before = existsSync(report) ? readFileSync(report, "utf8") : "";
    writeFileSync(report, mergeReport(before, [run]));
  }
rmSync(folder, { recursive: true });

for (const run of runs) {
  const verdict = isProven(run) ? `${run.claims.length} claims proven` : "FAILED";
  console.log(`${run.group.padEnd(10)} ${verdict}, ${run.minutes.toFixed(1)} minutes`);
  for (const name of run.failed) console.log(`  failed: ${name}`);
}
console.log(`The results are in ${report}.`);
process.exitCode = runs.every(isProven) ? 0 : 1;
