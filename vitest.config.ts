import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

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
    include: ["test/**/*.test.{ts,tsx}"],
    setupFiles: ["test/support/check-responses.ts"],
    // By default vitest leaves one core unused, which is half of a small machine.
    maxWorkers: "100%",
    sequence: { sequencer: SlowTestsFirst },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
