import { spawn } from "node:child_process";
import { environmentWith } from "../../../config.ts";
import { errorInWords, AppError } from "../../../domain/errors.ts";

/** The number of characters that are kept from the end of stderr. */
const MAX_OUTPUT_LENGTH = 400;
/** The time in which the command can clean up before it is killed. */
const GRACE_MS = 5000;

/**
 * Runs a command of the operator in the shell. Values are passed as environment variables only, so
 * that no file name becomes part of the command.
 * @throws AppError state_refuses if it fails, does not end in time or is aborted
 */
export function runBackupCommand(
  command: string,
  variables: Record<string, string>,
  timeoutMs: number,
  signal?: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (how: string, output = "") =>
      reject(
        new AppError("state_refuses", `--backup-command ${how}${output && `: ${output}`}.`, {
          fix: "run the command by hand, with DESKBELL_BACKUP_FILE set to a backup (deskbell backup list)",
        }),
      );
    // The command gets a process group, so that the programs that it has started are ended with it.
    // Windows has no process groups, and would open a window.
    const hasGroup = process.platform !== "win32";
    const child = spawn(command, {
      shell: true,
      detached: hasGroup,
      stdio: ["ignore", "ignore", "pipe"],
      env: environmentWith(variables),
    });
    let output = "";
    let isStopped = false;
    const kill = (signalName: NodeJS.Signals) => {
      try {
        const { pid = Number.NaN } = child;
        process.kill(hasGroup ? -pid : pid, signalName);
      } catch {
        // The process has ended, or was never started: its pid is NaN.
      }
    };
    let killTimer: NodeJS.Timeout | undefined;
    const stop = () => {
      isStopped = true;
      kill("SIGTERM");
      killTimer = setTimeout(kill, GRACE_MS, "SIGKILL");
    };
    const timer = setTimeout(stop, timeoutMs);
    signal?.addEventListener("abort", stop);
    child.stderr.on(
      "data",
      (chunk: Buffer) => (output = (output + chunk).slice(-MAX_OUTPUT_LENGTH)),
    );
    child.once("error", (error) => fail(`could not be started: ${errorInWords(error)}`));
    child.once("close", (code, killedBy) => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      signal?.removeEventListener("abort", stop);
      if (code === 0) return resolve();
      if (isStopped) return fail(signal?.aborted ? "was stopped" : "took too long", output.trim());
      fail(code === null ? `was ended by ${killedBy}` : `exited with code ${code}`, output.trim());
    });
  });
}
