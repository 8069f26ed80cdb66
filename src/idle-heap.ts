import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** After the start: whatever waited for it has been served. */
const SETTLED_MS = 2000;

/**
 * For a thread that stays: what its start left behind, and the room for more of that, which V8 keeps until much is allocated
 * again. An idle daemon never gets there, and each of its threads would hold 10 MB for nothing.
 */
export const giveHeapBackOnceSettled = (): void => void setTimeout(giveHeapBack, SETTLED_MS).unref();

function giveHeapBack(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
