import { EXIT } from "./exit-codes.ts";
import { explainFailure } from "./failure.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program.ts";

/** Runs one command line to its end and gives its exit code; everything thrown on the way is told on stderr. */
export async function run(program: string, args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  try {
    await createProgram(program, io, (code) => void (exitCode = code)).parseAsync(args, { from: "user" });
  } catch (error) {
    const failure = explainFailure(error, program);
    io.stderr.write(failure.text);
    return failure.exitCode;
  }
  return exitCode;
}
