import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const proofs = (...names: string[]) => names.map((name) => `test/proofs/${name}.test.ts`);

/** Tests of waits, response times and CPU use, which must not run while others do. */
const TIMED = proofs(
  "attack/slow-clients",
  "faults/fair-writers",
  "faults/hanging-endpoints",
  "faults/hostile-receivers",
  "long-polls",
);

/**
 * By default vitest leaves one core unused, which is half of a small machine. Many files of the
 * suite wait for processes that they start, which leaves their core to another file.
 */
const WORKERS = Math.ceil(availableParallelism() * (process.env["PROOFS"] === undefined ? 1.5 : 1));

/** `npm run proofs` waits longer on a busy machine. */
const PATIENCE = Number(process.env["PROOFS_PATIENCE"] ?? 1);

const TESTS = "test/**/*.test.{ts,tsx}";

/**
 * Folders and files whose tests do not run, such as "test/e2e test/proofs". Vitest applies its option
 * --exclude only to a configuration without projects.
 */
const EXCLUDED = (process.env["EXCLUDED_TESTS"] ?? "")
  .split(" ")
  .flatMap((path) => (path === "" ? [] : [path, `${path}/**`]));
const EXCLUDE = [...configDefaults.exclude, ...EXCLUDED];

/**
 * Tests that need a process of their own: those that replace modules, or that measure the CPU time
 * of their process. All other files share one process per worker, because starting a process and
 * loading the modules again for each file takes as long as the tests. `npm run proofs` frees the
 * memory of each proof, which takes long and much memory there, by ending its process.
 */
const ISOLATED = globSync(TESTS, { exclude: ["**/node_modules"] }).filter(
  (file) =>
    (process.env["PROOFS"] !== undefined && /^test\/(?:proofs|e2e|release)\//.test(file)) ||
    /\bvi\.(?:mock|doMock|resetModules)\(|[cC]puUsage\(/.test(readFileSync(file, "utf8")),
);

/** Files that take longer than 15 s, the slowest first. */
const SLOWEST = [
  // Its thread has the lowest priority.
  "features/backups/upkeep/maintenance-work",
  "e2e/docs",
  "features/desk/browser/connection",
  "e2e/guides",
  "features/demo/commands/pictures",
  "cli/command",
  "cli/command-table",
  "features/desk/browser/live-desk",
  "e2e/fixes",
  "features/partner-page/browser/partner-page/sections",
  "features/page-bookings/browser/main",
  "proofs/simulate/simulation",
  "proofs/attack/tenant-isolation",
  "cli/usage-errors",
  "features/completion/commands/completion",
  "e2e/executable",
  "features/index",
  "release/build-target",
  "features/live-view/views/frame",
  "features/guest-mail/queue-mail/beyond-share",
  "cli/commands/bookings",
  "e2e/desk-week",
  "e2e/split-server",
  "e2e/failure-alerts",
  "features/mcp/search",
  "features/live-view/session",
  "features/backups/backups",
  "http/transport/tls",
  "e2e/listen",
  "store/database/schema/migrate",
  "proofs/simulate/bookable-starts",
  "domain/availability/slot",
  "e2e/tui",
  "e2e/takeover",
  "features/doctor/run-doctor",
  "e2e/browser",
  "proofs/simulate/machine-time-zone",
  "e2e/taking-bookings",
  "e2e/alert-links",
  "e2e/upgrade",
  "delivery/endpoint-queue",
  "release/sbom",
  "e2e/partner-page",
  "e2e/reverse-proxy",
  "proofs/simulate/broken-disk",
  "features/backups/safeguard",
  "e2e/serve",
  "e2e/guest-mail",
  "proofs/crash/kill-nine",
  "proofs/crash/killed-writers",
  "e2e/program",
  "features/doctor/commands",
  "features/page-bookings/browser/website/embed",
  "features/desk/browser/camera",
  "proofs/attack/hostile-pages",
  "features/docs/pages",
  "features/partner-page/browser/partner-page/hostile",
  "proofs/attack/anonymous-holds",
  "proofs/crash/clean-restart",
].map((name) => `/test/${name}.test.ts`);

/** Starts the slowest tests first, so that they do not run alone at the end. */
class SlowTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowness = ({ moduleId }: TestSpecification) => {
      const place = SLOWEST.findIndex((name) => moduleId.endsWith(name));
      if (place >= 0) return place;
      return SLOWEST.length + Number(!/\/test\/(?:proofs|e2e)\//.test(moduleId));
    };
    // A worker keeps its process only while the next file may share it.
    const isShared = ({ project }: TestSpecification) => Number(!project.config.isolate);
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => isShared(a) - isShared(b) || slowness(a) - slowness(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/memory-folder.ts", "test/support/empty-database.ts"],
    setupFiles: [
      "test/support/check-responses.ts",
      "test/support/load-features.ts",
      ...(process.env["PROOFS_LEAKS"] === undefined ? [] : ["test/support/leak-search.ts"]),
    ],
    testTimeout: 60_000 * PATIENCE,
    hookTimeout: 60_000 * PATIENCE,
    expect: { poll: { timeout: 30_000 * PATIENCE } },
    sequence: { sequencer: SlowTestsFirst },
    maxWorkers: WORKERS,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: [TESTS],
          exclude: [...EXCLUDE, ...TIMED, ...ISOLATED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ISOLATED,
          exclude: [...EXCLUDE, ...TIMED],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "timed",
          isolate: process.env["PROOFS"] !== undefined,
          include: TIMED,
          exclude: EXCLUDE,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
