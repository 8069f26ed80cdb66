import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { GROUPS } from "../test/support/claims.ts";
import { describeCommit, describeMachine, describeVersions } from "./proofs/machine.ts";
import { type GroupRun, isProven, mergeReport } from "./proofs/report.ts";
import { installRequirements } from "./proofs/requirements.ts";
import { ROOT, runTests } from "./proofs/run-tests.ts";

const HOUR_MS = 3_600_000;
const MAX_SEED = 1_000_000;

const USAGE = `Usage: npm run proofs -- [GROUP | GROUP/TEST]... [--quick | --hours N] [--seed S]
GROUP is one of ${GROUPS.join(", ")}; TEST is a file of test/proofs/GROUP without .test.ts.
Runs all groups, these groups or single tests, and writes the results to test/proofs/RESULTS.md.
  --quick    takes less than 15 minutes and writes RESULTS.quick.md
  --hours N  repeats the proofs with new seeds for that long
  --seed S   repeats a run: the results list its seed`;

function failUsage(message: string): never {
  console.error(`error: ${message}\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        hours: { type: "string", default: "0" },
        seed: { type: "string", default: String(randomInt(MAX_SEED)) },
      },
    });
  } catch (error) {
    return failUsage((error as Error).message);
  }
}

const { values, positionals } = readArguments();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [hours, seed] = [Number(values.hours), Number(values.seed)];
if (!(hours >= 0)) failUsage(`Invalid --hours '${values.hours}': expected a number.`);
if (!Number.isSafeInteger(seed)) failUsage(`Invalid --seed '${values.seed}': expected an integer.`);
const chosen = (positionals.length === 0 ? GROUPS : positionals).map((name) => name.split("/"));
const groups = GROUPS.filter((group) => chosen.some(([name]) => name === group));
for (const [name = "", file] of chosen) {
  if (!groups.some((group) => group === name)) failUsage(`There is no group '${name}'.`);
  if (file && !existsSync(join(ROOT, "test/proofs", name, `${file}.test.ts`)))
    failUsage(`There is no test '${file}' in the group '${name}'.`);
}

for (const line of installRequirements(groups)) console.warn(`Skipping ${line}`);
execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT, stdio: "inherit" });
const size = values.quick ? "quick" : "full";
const report = join(ROOT, "test/proofs", values.quick ? "RESULTS.quick.md" : "RESULTS.md");
const about = { machine: describeMachine(), versions: describeVersions() };
const commit = describeCommit();
const runs: GroupRun[] = groups.map((group) => {
  const files = chosen.flatMap(([name, file]) => (name === group && file ? [file] : []));
  return {
    group,
    files: files.length === 0 ? null : files,
    commit,
    date: new Date().toISOString(),
    size,
    seeds: [],
    minutes: 0,
    conditions: [],
    findings: [],
  };
});
const endsAt = performance.now() + hours * HOUR_MS;
for (let round = 0; round === 0 || performance.now() < endsAt; round++)
  for (const run of runs) {
    const startedAt = performance.now();
    const failures = run.findings.filter(({ kind }) => kind === "failed");
    run.seeds.push(seed + round);
    const { findings, conditions } = await runTests(run, seed + round);
    run.findings = [...failures, ...findings];
    run.conditions.push(conditions);
    run.minutes += (performance.now() - startedAt) / 60_000;
    const before = existsSync(report) ? readFileSync(report, "utf8") : "";
    writeFileSync(report, mergeReport(before, about, [run]));
  }

for (const run of runs) {
  const count = (kind: string) => run.findings.filter((finding) => finding.kind === kind).length;
  console.log(
    `${run.group}: ${count("proven")} claims proven, ${count("failed")} tests failed, ${count("undecided")} undecided, ${count("skipped")} skipped, ${run.minutes.toFixed(1)} minutes`,
  );
}
console.log(`The results are in ${report}.`);
process.exitCode = runs.every(isProven) ? 0 : 1;
