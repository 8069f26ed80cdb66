import { performance } from "node:perf_hooks";
import type { Runtime } from "../../app/runtime.ts";

/**
 * Detects commits to the database by any connection since the last call. It looks once per
 * event-loop iteration. That is enough: a request that reacts to a commit, for example to its
 * webhook, is read from its socket in a later iteration.
 */
export function createCommitDetector(rt: Runtime): { hasChanged: () => boolean } {
  let seenRevision = -1;
  let checkedIteration = -1;
  return {
    hasChanged() {
      // A flag reset by setImmediate would cost an extra poll of the event loop per iteration.
      const iteration = performance.nodeTiming.uvMetricsInfo.loopCount;
      if (iteration === checkedIteration) return false;
      checkedIteration = iteration;
      const revision = rt.revision();
      if (revision === seenRevision) return false;
      seenRevision = revision;
      return true;
    },
  };
}
