import { EXIT } from "./exit-codes.ts";
import { explainFailure } from "./failure.ts";
import { type Io, widthOf } from "./io.ts";
import { rootHelp } from "./root-help.ts";

/** Runs one command line to its end and gives its exit code; everything thrown on the way is told on stderr. */
export async function run(program: string, args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  if (args.length === 1 && (args[0] === "--help" || args[0] === "-h")) {
    io.stdout.write(rootHelp(program, widthOf(io.stdout)));
    return exitCode;
  }
  try {
    const { createProgram } = await import("./program.ts");
    const root = await createProgram(program, io, args, (code) => void (exitCode = code));
    await root.parseAsync(args, { from: "user" });
  } catch (error) {
    const failure = explainFailure(error, program);
    io.stderr.write(failure.text);
    return failure.exitCode;
  }
  return exitCode;
}
