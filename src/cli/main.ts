import { IS_EXECUTABLE } from "../assets.ts";
import { safe } from "../domain/text.ts";
import { EXIT, explainFailure } from "./failure.ts";
import { programName, run, wantsJson } from "./run.ts";

const program = safe(
  IS_EXECUTABLE ? process.argv0 : programName(process.argv[1] ?? "deskbell", process.cwd()),
);

// Installed first: by default, Node prints the source line of an uncaught error, here the whole
// bundle.
const onBug = (error: unknown) => {
  const { text, exitCode } = explainFailure(error, program, wantsJson(process.argv.slice(2)));
  process.stderr.write(text);
  process.exit(exitCode);
};
process.on("uncaughtException", onBug);
process.on("unhandledRejection", onBug);

// `deskbell … | head` closes the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.brokenPipe);
  onBug(error);
});

process.exitCode = await run(program, process.argv.slice(2), process);
