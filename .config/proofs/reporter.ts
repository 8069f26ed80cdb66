import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** The outcome of a test. `patience` means that it failed only because it waited too long. */
export type TestOutcome = { test: string; state: "passed" | "failed" | "skipped" | "patience" };
export type FileOutcome = { path: string; isFailed: boolean; tests: TestOutcome[] };

type TestError = { name?: string; message: string; cause?: { message?: string } };

/**
 * Returns whether an error shows that a test waited too long: within its own limit, `expect.poll`,
 * an `AbortSignal.timeout` or a helper.
 */
const isPatience = ({ name, message, cause }: TestError): boolean =>
  name === "OutOfPatience" ||
  name === "TimeoutError" ||
  // Vitest sends `cause` to this process without its name, so the message shows that it is a
  // timeout.
  cause?.message === "The operation was aborted due to timeout" ||
  /^(?:Test|Hook) timed out in /.test(message) ||
  cause?.message === "Matcher did not succeed in time.";

function stateOf(test: TestCase): TestOutcome["state"] {
  const { state, errors } = test.result();
  if (state === "pending") return "failed";
  if (state === "failed" && errors.every((error) => isPatience(error as TestError)))
    return "patience";
  return state;
}

/** Writes the outcome of each test to the file that PROOFS_OUTCOMES names. */
export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const outcomes = modules.map((module): FileOutcome => ({
      path: module.moduleId,
      isFailed: module.state() === "failed",
      tests: [...module.children.allTests()].map((test) => ({
        test: test.fullName,
        state: stateOf(test),
      })),
    }));
    writeFileSync(process.env["PROOFS_OUTCOMES"] ?? "", JSON.stringify(outcomes));
  }
}
