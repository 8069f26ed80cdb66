import type { Runtime } from "../app/runtime.ts";

/**
 * Tells when somebody else has changed the file: it rises with every commit but the courier's own outcomes. What the courier has
 * read in an earlier epoch it reads again before it acts on it.
 */
export function createCommitCounter(rt: Runtime) {
  let others = rt.othersRevision();
  let own = rt.ownCommits();
  let epoch = 0;
  let isLookedUp = false;

  function look(): void {
    const [othersNow, ownNow] = [rt.othersRevision(), rt.ownCommits()];
    if (othersNow !== others || ownNow !== own) epoch += 1;
    [others, own] = [othersNow, ownNow];
  }

  return {
    /** Other connections are asked for at most once a turn of the event loop. */
    current(): number {
      if (isLookedUp && rt.ownCommits() === own) return epoch;
      look();
      isLookedUp = true;
      setImmediate(() => (isLookedUp = false));
      return epoch;
    },
    /** Runs a transaction that changes nothing that the courier has read. */
    runUncounted<T>(write: () => T): T {
      const written = rt.tx(() => {
        look();
        return write();
      });
      own += 1;
      return written;
    },
  };
}
