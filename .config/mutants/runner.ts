import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { TestRunner, vi } from "vitest";
import { ACTIVE, MAX_MUTANTS, REACHED, type Switches } from "./instrument.ts";
import type { PlannedRun, RunResult } from "./plan.ts";

type Test = Parameters<NonNullable<TestRunner["onBeforeTryTask"]>>[0];
type Files = Parameters<NonNullable<TestRunner["onAfterRunFiles"]>>[0];

const [PLAN, RESULTS] = [process.env["MUTANTS_PLAN"] ?? "", process.env["MUTANTS_RESULTS"] ?? ""];
const REACHED_FILE = `${RESULTS}.reached`;

/** Returns the name of a test after the names of its suites. */
function nameOf(test: Test): string {
  const names: string[] = [];
  for (
    let task: { name: string; suite?: Test["suite"] } | undefined = test;
    task;
    task = task.suite
  )
    names.unshift(task.name);
  return names.join(" > ");
}

/**
 * Runs the same test file many times in one process, each time with another mutant. Vitest is given
 * every file of the plan twice: the second run is the control of the first one.
 */
export default class MutantRunner extends TestRunner {
  #plan = JSON.parse(readFileSync(PLAN, "utf8")) as PlannedRun[];
  #turn = -1;
  #result: RunResult | null = null;
  #isFirst = true;
  #startedAt = 0;
  #testStartedAt = 0;
  #test = "";
  #failed = false;
  #killed = new Set<number>();
  #switches: Switches = {
    active: 0,
    reached: new Uint8Array(MAX_MUTANTS),
    onReach: () => undefined,
  };

  constructor(...options: ConstructorParameters<typeof TestRunner>) {
    super(...options);
    // Vitest reports these errors only to its main process, so this class listens for them itself.
    for (const event of ["uncaughtException", "unhandledRejection"])
      process.on(event, (error: unknown) => this.#fail(this.#test, String(error)));
  }

  get #run(): PlannedRun {
    return this.#plan[this.#turn >> 1] as PlannedRun;
  }

  get #isControl(): boolean {
    return this.#turn % 2 === 1;
  }

  /**
   * Names of the tests of this turn, or null for all tests. The list is empty if there is nothing
   * to run: the mutant is already killed, or the control has no failure to check.
   */
  get #tests(): string[] | null {
    const { mutant, tests } = this.#run;
    if (!this.#isControl) return this.#killed.has(mutant) ? [] : tests;
    return this.#result?.failure && mutant !== 0 ? [this.#result.failure.test] : [];
  }

  onBeforeCollect(): void {
    this.#turn += 1;
    this.#failed = false;
    this.#startedAt = performance.now();
    const { file, mutant } = this.#run;
    const active = this.#isControl ? 0 : mutant;
    (globalThis as { mutants$?: Switches }).mutants$ = this.#switches;
    this.#switches.active = active;
    process.env[ACTIVE] = String(active);
    process.env[REACHED] = REACHED_FILE;
    this.#takeReached();
    if (this.#tests?.length !== 0) vi.resetModules();
    if (this.#isControl) return;
    appendFileSync(RESULTS, `${JSON.stringify({ begins: this.#turn >> 1 })}\n`);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    this.#result = {
      file,
      mutant,
      failure: null,
      isConfirmed: true,
      isFirst,
      ms: 0,
      loading: [],
      tests: [],
    };
  }

  override importFile(path: string, source: "collect" | "setup"): unknown {
    if (this.#tests?.length === 0) return undefined;
    return super.importFile(path, source);
  }

  onCollected(): void {
    if (!this.#isControl && this.#run.mutant === 0 && this.#result)
      this.#result.loading = this.#takeReached();
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    if (this.#failed || !(this.#tests?.includes(nameOf(test)) ?? true)) test.mode = "skip";
    await super.onBeforeRunTask(test);
    this.#test = nameOf(test);
    this.#testStartedAt = performance.now();
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    if (test.result?.state === "fail") this.#fail(nameOf(test), test.result.errors?.[0]?.message);
    if (test.mode === "run" && !this.#isControl && this.#run.mutant === 0)
      this.#result?.tests.push({
        name: nameOf(test),
        ms: performance.now() - this.#testStartedAt,
        reached: this.#takeReached(),
      });
  }

  override onAfterRunFiles(files: Files): void {
    super.onAfterRunFiles(files);
    const result = this.#result;
    if (!result) return;
    for (const file of files)
      if (file.result?.state === "fail" && this.#tests?.length !== 0)
        this.#fail(file.tasks[0]?.name ?? "", file.result.errors?.[0]?.message);
    if (!this.#isControl) {
      result.ms = performance.now() - this.#startedAt;
      // Hooks after the last test reach mutants too.
      if (this.#run.mutant === 0) result.loading.push(...this.#takeReached());
      return;
    }
    // The control of a failed run repeats the failed test without the mutant, and must pass. A run
    // without a mutant has no control: its own failure counts.
    const isBaseline = this.#run.mutant === 0;
    if (isBaseline ? result.failure : this.#failed) result.isConfirmed = false;
    if (result.failure && !isBaseline) this.#killed.add(this.#run.mutant);
    appendFileSync(RESULTS, `${JSON.stringify({ index: this.#turn >> 1, result })}\n`);
    // An earlier mutant may have disturbed the process, which is therefore replaced.
    if (!result.isConfirmed) process.kill(process.pid, "SIGKILL");
  }

  #fail(test: string, message = ""): void {
    this.#failed = true;
    if (!this.#isControl && this.#result)
      this.#result.failure ??= { test, message: message.slice(0, 300) };
  }

  /**
   * Returns the mutants that this process, and the processes it started, have reached since the
   * last call.
   */
  #takeReached(): number[] {
    const { reached } = this.#switches;
    const ids = new Set<number>();
    for (let id = reached.indexOf(1); id !== -1; id = reached.indexOf(1, id + 1)) ids.add(id);
    reached.fill(0);
    if (existsSync(REACHED_FILE)) {
      for (const id of readFileSync(REACHED_FILE, "utf8").trim().split("\n")) ids.add(Number(id));
      truncateSync(REACHED_FILE);
    } else writeFileSync(REACHED_FILE, "");
    ids.delete(0);
    return [...ids];
  }
}
