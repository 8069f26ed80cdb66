import { IS_EXECUTABLE } from "../platform/assets.ts";
import { safe } from "../domain/text.ts";
import { lazy } from "../domain/lazy.ts";
import { EXIT, explainFailure, outputError, wantsJson } from "./failure.ts";
import type { Io } from "./io.ts";
import { programName, run } from "./run.ts";

const program = safe(
  IS_EXECUTABLE ? process.argv0 : programName(process.argv[1] ?? "deskbell", process.cwd()),
);

// The handler is installed first: by default, Node prints the source line of an uncaught error,
// which here is the whole bundle.
const onBug = (error: unknown) => {
  const { text, exitCode } = explainFailure(error, program, wantsJson(process.argv.slice(2)));
  process.stderr.write(text);
  process.exit(exitCode);
};
process.on("uncaughtException", onBug);
process.on("unhandledRejection", onBug);

const openStdout = lazy(() => {
  const { stdout } = process;
  // `deskbell … | head` closes the pipe early, which is not an error.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.brokenPipe);
    onBug(outputError(error));
  });
  return stdout;
});

// stdout is opened at first use: opening takes 3 ms, and `serve` does not write to stdout.
const io: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return openStdout();
  },
  get stderr() {
    return process.stderr;
  },
};

process.exitCode = await run(program, process.argv.slice(2), io);
