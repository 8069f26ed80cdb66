import { globSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests of waits, response times and CPU use, which must not run while others do. */
const TIMED = [
  "attack/slow-clients",
  "faults/fair-writers",
  "faults/hanging-endpoints",
  "faults/hostile-receivers",
  "long-polls",
].map((name) => `test/proofs/${name}.test.ts`);

/** `npm run proofs` waits longer on a busy machine. */
const PATIENCE = Number(process.env["PROOFS_PATIENCE"] ?? 1);

const TESTS = "test/**/*.test.{ts,tsx}";

/**
 * Tests that need a process of their own: those that run the program or take long, that replace
 * modules, or that measure the CPU time of their process. All other files share one process per
 * worker, because loading the modules again for each file takes as long as the tests.
 */
const ISOLATED = globSync(TESTS, { exclude: ["**/node_modules"] }).filter(
  (file) =>
    /^test\/(?:proofs|e2e|release)\//.test(file) ||
    /\bvi\.(?:mock|doMock|resetModules)\(|[cC]puUsage\(/.test(readFileSync(file, "utf8")),
);

/** Starts the slowest tests first, so that they do not run alone at the end. */
class SlowTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => /\/test\/(?:proofs|e2e)\//.test(moduleId);
    // A worker keeps its process only while the next file may share it.
    const isShared = ({ project }: TestSpecification) => !project.config.isolate;
    const rank = (file: TestSpecification) => Number(isShared(file)) * 2 + Number(!isSlow(file));
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/empty-database.ts"],
    setupFiles: [
      "test/support/check-responses.ts",
      ...(process.env["PROOFS_LEAKS"] === undefined ? [] : ["test/support/leak-search.ts"]),
    ],
    testTimeout: 20_000 * PATIENCE,
    hookTimeout: 20_000 * PATIENCE,
    expect: { poll: { timeout: 15_000 * PATIENCE } },
    sequence: { sequencer: SlowTestsFirst },
    // By default vitest leaves one core unused, which is half of a small machine.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: [TESTS],
          exclude: [...configDefaults.exclude, ...TIMED, ...ISOLATED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ISOLATED,
          exclude: [...configDefaults.exclude, ...TIMED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "timed", include: TIMED, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
