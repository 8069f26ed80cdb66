import { performance } from "node:perf_hooks";
import type { Runtime } from "./runtime.ts";

/**
 * Returns a function that tells whether any connection has committed since the last call; the first
 * call returns true. The function looks once per iteration of the event loop; a second call in the
 * same iteration returns false. This is enough: a request that reacts to a commit, for example to
 * its webhook, is read from its socket in a later iteration.
 */
export function createCommitDetector(rt: Runtime): () => boolean {
  let seenRevision = -1;
  let checkedIteration = -1;
  return () => {
    // The loop's own counter is read, because a flag that `setImmediate` resets would make the
    // event loop poll once more in each iteration.
    const iteration = performance.nodeTiming.uvMetricsInfo.loopCount;
    if (iteration === checkedIteration) return false;
    checkedIteration = iteration;
    const revision = rt.revision();
    const hasChanged = revision !== seenRevision;
    seenRevision = revision;
    return hasChanged;
  };
}
