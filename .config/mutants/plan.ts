/** One run of a test file with one mutant, or with none (0). */
export type PlannedRun = {
  /** Path of the test file, relative to the root. */
  file: string;
  mutant: number;
  /** Names of the tests to run; null for all. */
  tests: string[] | null;
};

/** The result of a run, as the worker appends it to its file of results. */
export type RunResult = {
  file: string;
  mutant: number;
  /** The first test that failed, or null. */
  failure: { test: string; message: string } | null;
  /**
   * Whether the failed test passes without the mutant, in the same process right afterwards. If
   * not, a mutant that ran before may have disturbed the process.
   */
  isConfirmed: boolean;
  /** Whether this was the first run in its process, which no mutant can have disturbed. */
  isFirst: boolean;
  ms: number;
  /**
   * `loading` lists the mutants that loading the file reaches, and `tests` the mutants that each
   * test reaches. Both lists are empty for a run with a mutant.
   */
  loading: number[];
  tests: { name: string; ms: number; reached: number[] }[];
};

/** The worker appends `{ begins: index }` before each run, and `{ index, result }` after it. */
export type Line = { begins: number } | { index: number; result: RunResult };
