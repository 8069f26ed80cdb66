import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CacheFile, sha256, type TestFile } from "./cache.ts";
import type { PlannedRun } from "./plan.ts";
import type { Sampled } from "./sample.ts";
import { type Ending, WorkerProcess } from "./worker-process.ts";

/** Limits are generous: a busy machine must not make a mutant look as if it hangs. */
const BASELINE_LIMIT_MS = 600_000;
const LIMIT_MS = 60_000;
const limitOf = (ms: number, limitMs = LIMIT_MS): number => limitMs + 20 * ms;

/**
 * Time that the tests of one part of a plan take together. Workers take one part after the other.
 */
const PART_MS = 10_000;
/** Time that the tests of a mutant may take in the first round. Each further round triples it. */
const ROUND_MS = 500;
/** Time that each run takes besides its tests. */
const OVERHEAD_MS = 50;

export type Options = {
  /** The copy of the checkout, with the mutants in its sources. */
  copy: string;
  workers: number;
  cache: CacheFile;
  log: (line: string) => void;
  /**
   * Time that a run may take in addition to 20 times the measured time of its tests. The default is
   * one minute.
   */
  limitMs?: number;
};

/**
 * Runs test files without a mutant to measure their time and the mutants they reach. A file whose
 * text has not changed since then is not measured again.
 */
export async function measureTests(options: Options, files: readonly string[]): Promise<void> {
  const { copy, cache, log } = options;
  const known = cache.cache.files;
  const hashes = new Map(
    files.map((file) => [file, sha256(readFileSync(join(copy, file), "utf8"))]),
  );
  const unknown = files.filter((file) => known[file]?.sha256 !== hashes.get(file));
  let done = 0;
  const report = ({ file }: PlannedRun, ending: Ending) => {
    const isResult = typeof ending === "object";
    const { ms, loading, tests } = isResult ? ending : { ms: 0, loading: [], tests: [] };
    const passes = isResult && ending.failure === null;
    known[file] = { sha256: hashes.get(file) ?? "", passes, ms, loading, tests };
    done += 1;
    const reason = isResult ? ending.failure?.message : ending;
    if (!passes)
      log(
        `Left out, because it fails without mutants: ${file}: ${reason}\nfix: npx vitest run ${file}`,
      );
    if (done % 20 === 0) log(`Measured ${done} of ${unknown.length} test files.`);
  };
  const plan = unknown.map((file) => ({ file, mutant: 0, tests: null }));
  await runParts(
    options,
    split(plan, () => PART_MS / 8),
    () => BASELINE_LIMIT_MS,
    report,
  );
}

/**
 * A test file that reaches a mutant. `tests` names the tests to run, or is null if all must run,
 * because loading the file reaches the mutant.
 */
type Candidate = { file: string; tests: string[] | null; ms: number };

/**
 * Runs the tests that reach these mutants in rounds, the nearest and cheapest ones first, until a
 * test fails.
 * @param lastBudgetMs greatest time that the tests of one mutant may take in a round; if it is
 * absent, rounds follow until all tests have run
 */
export async function runMutants(
  options: Options,
  mutants: readonly Sampled[],
  lastBudgetMs = Infinity,
): Promise<void> {
  const { cache } = options;
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const files = Object.entries(cache.cache.files);
  const queues = new Map(
    mutants.map((mutant) => {
      const { passed } = cache.verdictOn(mutant);
      const open = files.filter(([name, { sha256 }]) => passed[name] !== sha256);
      return [mutant, candidatesFor(mutant, open)] as const;
    }),
  );
  const report = ({ file, mutant }: PlannedRun, ending: Ending) => {
    const verdict = cache.verdictOn(byId.get(mutant) as Sampled);
    if (verdict.status !== "survived") return;
    if (typeof ending === "string" || ending.failure) {
      verdict.status = ending === "timed out" ? ending : "killed";
      const test = typeof ending === "string" ? ending : ending.failure?.test;
      verdict.by = `${file}: ${test}`;
    } else verdict.passed[file] = cache.cache.files[file]?.sha256 ?? "";
  };
  for (let budget = ROUND_MS; budget <= lastBudgetMs; budget *= 3) {
    const plan = [...queues].flatMap(([mutant, queue]): (PlannedRun & { ms: number })[] => {
      if (cache.verdictOn(mutant).status !== "survived") return [];
      return takeWorth(queue, budget).map((one) => ({ ...one, mutant: mutant.id }));
    });
    if (plan.length === 0) return;
    options.log(`${new Set(plan.map(({ mutant }) => mutant)).size} mutants are left.`);
    plan.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.mutant - b.mutant));
    const time = new Map(plan.map((run) => [`${run.file} ${run.mutant}`, run.ms]));
    const msOf = ({ file, mutant }: PlannedRun) => time.get(`${file} ${mutant}`) ?? 0;
    await runParts(
      options,
      split(plan, msOf),
      (run) => limitOf(msOf(run), options.limitMs),
      report,
    );
  }
}

/**
 * Returns the path of the tests of a source, without the ending: `src/store/files.ts` becomes
 * `test/store/files`.
 */
const mirrorOf = (file: string): string => file.replace(/^src/, "test").replace(/\.tsx?$/, "");

/**
 * Returns the test files that reach a mutant. The tests nearest to its source come first, and among
 * equally near ones the cheapest: every test reaches the SQL of a store, but most of them do not
 * use it.
 */
function candidatesFor(mutant: Sampled, files: readonly [string, TestFile][]): Candidate[] {
  const mirror = mirrorOf(mutant.file);
  return files
    .flatMap(([file, { passes, ms, loading, tests }]): Candidate[] => {
      if (!passes) return [];
      if (loading.includes(mutant.id)) return [{ file, tests: null, ms: ms + OVERHEAD_MS }];
      const reaching = tests.filter(({ reached }) => reached.includes(mutant.id));
      if (reaching.length === 0) return [];
      const time = reaching.reduce((sum, test) => sum + test.ms, OVERHEAD_MS);
      return [{ file, tests: reaching.map(({ name }) => name), ms: time }];
    })
    .sort((a, b) => nearness(b.file, mirror) - nearness(a.file, mirror) || a.ms - b.ms);
}

/**
 * Returns how many leading names the paths of a test and of `mirror` share. The tests of the source
 * itself share all names.
 */
function nearness(file: string, mirror: string): number {
  const [path, other] = [file.replace(/\.test\.tsx?$/, "").split("/"), mirror.split("/")];
  const different = other.findIndex((name, index) => path[index] !== name);
  return different === -1 ? other.length : different;
}

/**
 * Removes candidates from the start of a queue, and returns them: at least one, and as many as take
 * at most `budgetMs` together.
 */
function takeWorth(queue: Candidate[], budgetMs: number): Candidate[] {
  let [count, time] = [0, 0];
  while (count < queue.length && (count === 0 || time + (queue[count]?.ms ?? 0) <= budgetMs))
    time += queue[count++]?.ms ?? 0;
  return queue.splice(0, count);
}

/** Splits a plan into parts whose tests take about the same time. */
function split<Run extends PlannedRun>(plan: readonly Run[], msOf: (run: Run) => number): Run[][] {
  const parts: Run[][] = [];
  let time = Infinity;
  for (const run of plan) {
    if (time >= PART_MS) {
      parts.push([]);
      time = 0;
    }
    parts.at(-1)?.push(run);
    time += msOf(run);
  }
  return parts;
}

async function runParts(
  { copy, workers, cache }: Options,
  parts: PlannedRun[][],
  limitMs: (run: PlannedRun) => number,
  report: (run: PlannedRun, ending: Ending) => void,
): Promise<void> {
  const queue = [...parts];
  await Promise.all(
    Array.from({ length: Math.min(workers, queue.length) }, async () => {
      const worker = new WorkerProcess(copy);
      try {
        for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
          await worker.run(part, limitMs, report);
          cache.save();
        }
      } finally {
        await worker.stop();
      }
    }),
  );
}

/**
 * Lists the test files in three groups: `unit` are the tests that run in the process of vitest,
 * `near` are those of them in the folders of the mutants, and `program` are the tests that start
 * the program.
 */
export function listTests(
  copy: string,
  mutants: readonly Sampled[],
): Record<"near" | "unit" | "program", string[]> {
  const files = globSync("test/**/*.test.{ts,tsx}", {
    cwd: copy,
    exclude: ["test/release/**", "test/bench/**"],
  }).sort();
  const isProgram = (file: string) => /^test\/(?:e2e|proofs)\//.test(file);
  const unit = files.filter((file) => !isProgram(file));
  const folders = new Set(mutants.map(({ file }) => dirname(mirrorOf(file))));
  return {
    near: unit.filter((file) => folders.has(dirname(file)) || folders.has(dirname(dirname(file)))),
    unit,
    program: files.filter(isProgram),
  };
}
