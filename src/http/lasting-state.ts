import type { Runtime } from "../app/runtime.ts";

/** A health condition that stays open for some time after its cause was last seen. */
export type LastingState = {
  /** Records that the cause was seen. `text` says what the condition names, such as a path. */
  record: (text: string) => void;
  clear: () => void;
  /** Saves a change, because `status` and `doctor` run in other processes. */
  flush: () => void;
};

/**
 * Returns a condition that is not open.
 * @param lastsMs how long the condition stays open after the last record
 * @param save receives the text of the last record; null when the condition has ended
 */
export function createLastingState(
  rt: Runtime,
  lastsMs: number,
  save: (text: string | null) => void,
): LastingState {
  let last: { text: string; at: number } | null = null;
  let hasSavedText = false;
  return {
    record(text) {
      last = { text, at: rt.monotonic() };
    },
    clear() {
      last = null;
    },
    flush() {
      if (last !== null && rt.monotonic() - last.at > lastsMs) last = null;
      // The text of an open condition is saved only once: if it often changes, each flush would
      // write.
      if ((last !== null) === hasSavedText) return;
      rt.tx(() => save(last?.text ?? null));
      hasSavedText = last !== null;
    },
  };
}
