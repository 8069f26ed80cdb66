import { performance } from "node:perf_hooks";
import type { Runtime } from "../../app/runtime.ts";

/**
 * Tells whether anybody has committed to the file since it was last asked. It looks at most once a turn of the event
 * loop, which is sound: a request that answers to a webhook is read from its socket in a later turn than the commit.
 */
export function createCommitDetector(rt: Runtime): { hasChanged: () => boolean } {
  let seen = -1;
  let lookedInTurn = -1;
  return {
    hasChanged() {
      // A flag that setImmediate clears would make the loop poll once more for every turn.
      const turn = performance.nodeTiming.uvMetricsInfo.loopCount;
      if (turn === lookedInTurn) return false;
      lookedInTurn = turn;
      const revision = rt.revision();
      if (revision === seen) return false;
      seen = revision;
      return true;
    },
  };
}
