import type { Runtime } from "../runtime.ts";

/**
 * Tells whether anybody has committed to the file since it was last asked. It looks at most once a turn of the event
 * loop, which is sound: a request that answers to a webhook is read from its socket in a later turn than the commit.
 */
export function createFreshness(rt: Runtime): { hasChanged: () => boolean } {
  let seen = "";
  let lookedThisTurn = false;
  return {
    hasChanged() {
      if (lookedThisTurn) return false;
      lookedThisTurn = true;
      setImmediate(() => {
        lookedThisTurn = false;
      });
      const revision = rt.revision();
      if (revision === seen) return false;
      seen = revision;
      return true;
    },
  };
}
