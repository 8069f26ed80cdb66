import type { CommanderError } from "commander";
import { AppError } from "../domain/errors.ts";
import { safe } from "../domain/safe-text.ts";
import { EXIT, EXIT_CODE_OF } from "./exit-codes.ts";

export type Failure = { text: string; exitCode: number };

/** What a person is told of anything that was thrown, and the exit code that goes with it. */
export function explainFailure(error: unknown, program: string): Failure {
  // Help, or the version: already printed.
  if (isCommanders(error))
    return { text: "", exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  const refusal = isRefusal(error) ? error : refusalOfSystem(error);
  return refusal ? explainRefusal(refusal, program) : explainBug(error);
}

/** By its code: to name its class would load commander before anything else. */
const isCommanders = (error: unknown): error is CommanderError =>
  error instanceof Error && "code" in error && String(error.code).startsWith("commander.");

/** By its name: the daemon's bundle has a class of its own. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof Error && error.name === "AppError";

function explainRefusal(error: AppError, program: string): Failure {
  const exitCode = EXIT_CODE_OF[error.code];
  const lines = [`error: ${safe(error.message, 2000)}`];
  for (const { place, detail } of error.issues.filter(
    ({ detail }) => !error.message.includes(detail),
  ))
    lines.push(`  ${place === undefined ? "" : `${safe(place)}  `}${safe(detail, 2000)}`);
  if (error.fix !== undefined)
    lines.push(`fix: ${insertProgramName(safe(error.fix, 2000), program)}`);
  return { text: `${lines.join("\n")} (exit ${exitCode})\n`, exitCode };
}

/** Bugs are shown whole: whoever meets one must be able to report it. */
function explainBug(error: unknown): Failure {
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = shown.split("\n").map((line) => safe(line, 2000));
  return {
    text: `error: deskbell met a bug in itself.\n${lines.join("\n")}\nfix: report it with the lines above (exit ${EXIT.failure})\n`,
    exitCode: EXIT.failure,
  };
}

function refusalOfSystem(error: unknown): AppError | undefined {
  const { code, message, path } = (error ?? {}) as NodeJS.ErrnoException;
  switch (code) {
    case "SQLITE_BUSY":
    case "SQLITE_BUSY_SNAPSHOT":
      return new AppError(
        "busy",
        "Another program has been writing to the database for too long.",
        {
          fix: "try again when it has finished",
        },
      );
    case "SQLITE_FULL":
    case "SQLITE_IOERR_SHMSIZE":
    case "ENOSPC":
      return new AppError("storage_full", "The disk is full.", {
        fix: "free some space and try again",
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new AppError("not_permitted", `${path ?? "A file"} cannot be used: ${message}.`, {
        fix: "check its owner and mode",
      });
    case "ENOTDIR":
    case "EISDIR":
    case "ENAMETOOLONG":
    case "ELOOP":
      return new AppError("usage", `${path ?? "A path"} cannot be used: ${message}.`, {
        fix: "name another path",
      });
    default:
      return undefined;
  }
}

/** Fixes are written with `deskbell …`; what can be typed depends on how the program was started. */
export const insertProgramName = (fix: string, program: string): string =>
  fix.replace(/(?<![\w/.-])deskbell(?= (?:--)?[a-z…])/g, () => program);
