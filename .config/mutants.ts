import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CacheFile } from "./mutants/cache.ts";
import { copyCheckout, insertMutants } from "./mutants/copy.ts";
import { describeMutants, isEquivalent, replaceMutants } from "./mutants/report.ts";
import { listTests, measureTests, type Options, runMutants } from "./mutants/run-mutants.ts";
import { type Sampled, takeSample } from "./mutants/sample.ts";
import { findInvalid } from "./mutants/type-check.ts";
import { describeCommit, measureSlowdown } from "./proofs/machine.ts";

const ROOT = resolve(import.meta.dirname, "..");
/**
 * Default number of mutants. Even a shorter run determines at once which tests reach each of these
 * mutants, so that a later, longer run need not.
 */
const COUNT = 1500;
const QUICK_COUNT = 100;
/** Number of mutants in a batch. The results are written after each batch. */
const BATCH = 250;
/**
 * Limit of the time per round for the tests of a mutant's own folder. The other tests run later.
 */
const NEAR_BUDGET_MS = 15_000;

const USAGE = `Usage: npm run mutants -- [--quick | --count N] [--seed S] [--unit] [--workers N]
Makes small changes (mutants) in a copy of the program, runs the tests that reach each of them, and writes
to test/proofs/RESULTS.md how many the tests notice. A run that was stopped continues where it was.
  --quick      takes ${QUICK_COUNT} mutants and writes RESULTS.quick.md
  --count N    takes N mutants, by default ${COUNT}
  --seed S     chooses other mutants, by default 1
  --unit       leaves out the tests that start the program: test/e2e and test/proofs
  --workers N  runs N tests at a time, by default one for each core`;

function failUsage(message: string): never {
  console.error(`error: ${message}\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        help: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        unit: { type: "boolean", default: false },
        count: { type: "string" },
        seed: { type: "string", default: "1" },
        workers: { type: "string", default: String(availableParallelism()) },
      },
    }).values;
  } catch (error) {
    return failUsage((error as Error).message);
  }
}

const values = readArguments();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const count = Number(values.count ?? (values.quick ? QUICK_COUNT : COUNT));
const [seed, workers] = [Number(values.seed), Number(values.workers)];
for (const [name, value] of Object.entries({ count, seed, workers }))
  if (!Number.isSafeInteger(value) || value < 1)
    failUsage(`Invalid --${name} '${values[name as "count"]}': expected an integer from 1.`);

const startedAt = performance.now();
const log = (line: string): void =>
  console.log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${line}`);

const sample = takeSample(ROOT, { seed, count: Math.max(count, COUNT) });
const wanted = sample.slice(0, count);
const cache = new CacheFile(join(ROOT, "node_modules/.cache/deskbell-mutants"), ROOT, sample);
const commit = describeCommit();
// `copy` gets all mutants, each behind a switch. The compiler checks mutants without switches, at
// most one in each file at a time, so it needs the unchanged sources in `plain`.
const [copy, plain] = [copyCheckout(ROOT), copyCheckout(ROOT)];
const removeCopies = (): void => {
  for (const folder of [copy, plain]) rmSync(folder, { recursive: true, force: true });
};
// The handler removes the copies only. The workers end by themselves when they are disconnected
// from this process.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    removeCopies();
    process.exit(1);
  });
// Greatest factor by which tests wait longer on a busy machine. The factor has a limit, because a
// test of a mutant that hangs also waits that much longer.
const MOST_PATIENCE = 5;
process.env["PROOFS_PATIENCE"] = String(Math.min(await measureSlowdown(), MOST_PATIENCE));

const options: Options = { copy, workers, cache, log };

/**
 * Runs the tests in the folders of the mutants, for at most `NEAR_BUDGET_MS` per round. Mutants
 * that are listed as equivalent are run, too. Survivors that cannot be compiled are then marked as
 * invalid, and get no other tests.
 */
async function runNearTests(files: readonly string[]): Promise<void> {
  await measureTests(options, files);
  for (let start = 0; start < wanted.length; start += BATCH) {
    const batch = wanted.slice(start, start + BATCH);
    await runMutants(options, batch, NEAR_BUDGET_MS);
    await compileMutants(batch.filter((mutant) => cache.verdictOn(mutant).status === "survived"));
  }
}

/**
 * Runs the tests of some files with all mutants except those that are listed as equivalent. A
 * mutant that tests have already noticed, or that is invalid, is not run again.
 */
async function runTests(files: readonly string[], isLast: boolean): Promise<void> {
  await measureTests(options, files);
  for (let start = 0; start < wanted.length; start += BATCH) {
    const batch = wanted.slice(start, start + BATCH);
    await runMutants(
      options,
      batch.filter((mutant) => !isEquivalent(mutant)),
    );
    if (isLast) await finish(batch, start);
  }
}

/** Finds those of these mutants that cannot be compiled. */
async function compileMutants(mutants: readonly Sampled[]): Promise<void> {
  const unchecked = mutants.filter((mutant) => {
    const { status, isCompiled } = cache.verdictOn(mutant);
    return status !== "invalid" && !isCompiled;
  });
  const invalid = await findInvalid(plain, unchecked);
  for (const mutant of unchecked)
    if (invalid.has(mutant)) cache.verdictOn(mutant).status = "invalid";
    else cache.verdictOn(mutant).isCompiled = true;
  cache.save();
}

/** Compiles the mutants of a batch, and writes the results up to the batch. */
async function finish(batch: readonly Sampled[], start: number): Promise<void> {
  await compileMutants(batch);
  const done = wanted.slice(0, start + batch.length);
  const section = describeMutants(done, cache, { seed, commit, hasPrograms: !values.unit });
  const path = join(ROOT, "test/proofs", values.quick ? "RESULTS.quick.md" : "RESULTS.md");
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  writeFileSync(path, replaceMutants(before, section));
  log(`${done.length} of ${wanted.length} mutants are done. The results are in ${path}.`);
}

try {
  insertMutants(copy, sample);
  if (!values.unit) execFileSync("npm", ["run", "-s", "build"], { cwd: copy, stdio: "inherit" });
  const { near, unit, program } = listTests(copy, wanted);
  // Most mutants are noticed by the tests of their own folder, so these tests are measured and run
  // first.
  await runNearTests(near);
  await runTests(unit, values.unit);
  if (!values.unit) await runTests(program, true);
} finally {
  removeCopies();
}
