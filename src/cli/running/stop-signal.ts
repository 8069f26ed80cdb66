import { readFileSync } from "node:fs";
import { isStartedByNpm } from "../../config.ts";
import { EXIT } from "../failure.ts";

const CHECK_EVERY_MS = 2000;

/**
 * Calls `callback` once when the npm that started this process has ended. npm passes signals on,
 * but SIGKILL ends npm alone. A process that npm did not start, such as a service, may outlive its
 * parents, so nothing is watched for it.
 */
export function onParentEnded(callback: () => void): void {
  if (!isStartedByNpm()) return;
  const parents = listParents().join();
  const timer = setInterval(() => {
    if (listParents().join() === parents) return;
    clearInterval(timer);
    callback();
  }, CHECK_EVERY_MS).unref();
}

/**
 * Returns the ID of the parent and, where /proc exists, of its ancestors up to npm. npm starts this
 * process through a shell and bin/deskbell.js. The shell stays alive when npm ends, so the parent
 * alone does not show the end of npm. The list stops at npm, because the terminal that started npm
 * may close.
 */
function listParents(): number[] {
  const parents = [process.ppid];
  // If an old Node runs bin/deskbell.js, the script starts this process in a newer Node, with a
  // channel to it.
  let parentIsLauncher = process.channel !== undefined;
  for (;;) {
    const stat = readStat(parents.at(-1) ?? 0);
    if (stat === undefined || !(parentIsLauncher || SHELL.test(stat.name))) return parents;
    parentIsLauncher = false;
    parents.push(stat.parent);
  }
}

const SHELL = /^(?:|a|ba|da|fi|k|mk|z)sh$/;

/**
 * Returns the name and parent of a process. The name may contain any character, even parentheses.
 */
function readStat(pid: number): { name: string; parent: number } | undefined {
  try {
    const [, name = "", parent] =
      /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

const EXIT_OF = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
} as const;
export type StopSignal = keyof typeof EXIT_OF;

/** The reason for stopping if npm or bin/deskbell.js was killed, and so passed no signal on. */
export const PARENT_ENDED = "the parent process has ended";
export type StopReason = StopSignal | typeof PARENT_ENDED;

export const exitCodeOf = (reason: StopReason): number =>
  EXIT_OF[reason === PARENT_ENDED ? "SIGTERM" : reason];

/**
 * The time in which repeated signals count as one: the terminal, npm and bin/deskbell.js each pass
 * a signal on, so that one Ctrl-C arrives up to three times.
 */
const SAME_SIGNAL_MS = 500;

const ALL_SIGNALS = Object.keys(EXIT_OF) as StopSignal[];

/**
 * Resolves at the first stop signal, or when the parent has ended. A second signal ends the process
 * immediately.
 */
export const untilStopped = (signals: readonly StopSignal[] = ALL_SIGNALS): Promise<StopReason> =>
  new Promise((resolve) => {
    let mayExit = false;
    for (const signal of signals)
      process.on(signal, () => {
        if (mayExit) process.exit(EXIT_OF[signal]);
        resolve(signal);
        setTimeout(() => (mayExit = true), SAME_SIGNAL_MS).unref();
      });
    onParentEnded(() => resolve(PARENT_ENDED));
    process.once("disconnect", () => resolve(PARENT_ENDED));
    // The channel to bin/deskbell.js must not keep the process alive. A process that listens for
    // messages, such as a process of a test runner, still needs its channel.
    if (process.listenerCount("message") === 0) process.channel?.unref();
  });
