import { IS_EXECUTABLE } from "../assets.ts";
import { EXIT } from "./exit-codes.ts";
import { explainFailure } from "./failure.ts";
import { programName } from "./program-name.ts";
import { run } from "./run.ts";

const program = IS_EXECUTABLE
  ? process.argv0
  : programName(process.argv[1] ?? "deskbell", process.cwd());

// First of all: what nobody caught must not print the bundle's source.
const onBug = (error: unknown) => {
  const { text, exitCode } = explainFailure(error, program);
  process.stderr.write(text);
  process.exit(exitCode);
};
process.on("uncaughtException", onBug);
process.on("unhandledRejection", onBug);

// `deskbell … | head` closes the pipe when it has seen enough: no error, and nobody left to tell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.brokenPipe);
  onBug(error);
});

process.exitCode = await run(program, process.argv.slice(2), process);
