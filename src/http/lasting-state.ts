import type { Runtime } from "../app/runtime.ts";

/** A condition that requests reveal, and that ends some time after the last of these requests. */
export type LastingState = {
  record: (text: string) => void;
  clear: () => void;
  /** Saves a change, because `status` and `doctor` run in other processes. */
  flush: () => void;
};

/**
 * Returns a condition without requests so far.
 * @param lastsMs how long the condition lasts after the last request
 * @param save receives the last request's text; null when the condition has ended
 */
export function createLastingState(
  rt: Runtime,
  lastsMs: number,
  save: (text: string | null) => void,
): LastingState {
  let last: { text: string; at: number } | null = null;
  let isSaved = false;
  return {
    record(text) {
      last = { text, at: rt.monotonic() };
    },
    clear() {
      last = null;
    },
    flush() {
      if (last !== null && rt.monotonic() - last.at > lastsMs) last = null;
      // A condition that lasts is not saved again for another text, because each flush would then
      // write.
      if ((last !== null) === isSaved) return;
      rt.tx(() => save(last?.text ?? null));
      isSaved = last !== null;
    },
  };
}
