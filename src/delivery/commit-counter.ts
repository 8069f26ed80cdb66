import type { Runtime } from "../app/runtime.ts";

/**
 * Counts the commits to the file, except those made with `runUncounted`. What the delivery worker
 * read at an earlier count, it reads again before acting on it.
 */
export function createCommitCounter(rt: Runtime) {
  let uncounted = 0;
  return {
    current: (): number => rt.revision() - uncounted,
    /** Runs a transaction that changes nothing that the delivery worker has read. */
    runUncounted<T>(write: () => T): T {
      const written = rt.tx(write);
      uncounted += 1;
      return written;
    },
  };
}
