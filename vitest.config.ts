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

/** Starts the slowest tests first, so that they do not run alone at the end. */
class SlowTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => /\/test\/(?:proofs|e2e)\//.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
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
          name: "parallel",
          include: ["test/**/*.test.{ts,tsx}"],
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
