import { readFileSync } from "node:fs";
import { isStartedByNpm } from "../../config.ts";

const CHECK_EVERY_MS = 2000;

/**
 * Calls back once when npm, which runs this process, has ended. It passes signals on, but SIGKILL
 * ends npm alone. Programs that npm does not run, such as services, may outlive their parents.
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
 * Returns the parent's process ID, and beyond the shell of npm and bin/deskbell.js also that of the
 * parent's parent, as far as the system has /proc. A shell outlives npm while it waits for this
 * process. The chain ends at npm, because the terminal that started npm may close.
 */
function listParents(): number[] {
  const parents = [process.ppid];
  // The channel to bin/deskbell.js exists only with an old Node.
  let leadsOn = process.channel !== undefined;
  for (;;) {
    const stat = readStat(parents.at(-1) ?? 0);
    if (stat === undefined || !(leadsOn || SHELL.test(stat.name))) return parents;
    leadsOn = false;
    parents.push(stat.parent);
  }
}

const SHELL = /^(?:|a|ba|da|fi|k|mk|z)sh$/;

/** The name of a process may contain any character, also parentheses. */
function readStat(pid: number): { name: string; parent: number } | undefined {
  try {
    const [, name = "", parent] =
      /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
