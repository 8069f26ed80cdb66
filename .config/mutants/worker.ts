import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ViteUserConfig } from "vitest/config";
import { BaseSequencer, createVitest, type TestSpecification } from "vitest/node";

// A process that runs plans in a copy of the project, one after the other. Vite keeps the modules
// that it has transformed, so the next plan need not transform them again.

/** Keeps the order of the plan. */
class AsPlanned extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

/** The message that asks the process to run a plan. */
export type Assignment = { plan: string; results: string; files: string[] };

const root = process.cwd();
const config = join(root, "vitest.config.ts");
const base = existsSync(config)
  ? ((await import(config)) as { default: ViteUserConfig }).default.test
  : {};
const vitest = await createVitest(
  "test",
  { config: false, root, watch: false },
  {
    root,
    test: {
      include: ["test/**/*.test.{ts,tsx}"],
      globalSetup: base?.globalSetup ?? [],
      setupFiles: base?.setupFiles ?? [],
      testTimeout: base?.testTimeout ?? 20_000,
      hookTimeout: base?.hookTimeout ?? 20_000,
      expect: base?.expect ?? {},
      runner: join(import.meta.dirname, "runner.ts"),
      isolate: false,
      pool: "forks",
      maxWorkers: 1,
      reporters: [{}],
      sequence: { sequencer: AsPlanned },
    },
  },
);
const project = vitest.getRootProject();

process.on("message", ({ plan, results, files }: Assignment) => {
  process.env["MUTANTS_PLAN"] = plan;
  process.env["MUTANTS_RESULTS"] = results;
  const specifications = files.flatMap((file) => {
    const specification = project.createSpecification(join(root, file));
    return [specification, specification];
  });
  void vitest.runTestSpecifications(specifications).then(
    () => process.send?.("done"),
    (error: unknown) => {
      console.error(error);
      process.send?.("failed");
    },
  );
});
process.on("disconnect", () => void vitest.close().finally(() => process.exit()));
process.send?.({ temporary: process.env["TMPDIR"] });
