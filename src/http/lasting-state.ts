import type { Runtime } from "../app/runtime.ts";

/** Something that requests have shown, and that counts for some time after the last of them. */
export type LastingState = {
  record: (text: string) => void;
  clear: () => void;
  /** Saves a change for `status` and `doctor`, which are other processes. */
  flush: () => void;
};

/** @param save null: it has ended */
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
      // Another text is not worth a write at each flush.
      if ((last !== null) === isSaved) return;
      rt.tx(() => save(last?.text ?? null));
      isSaved = last !== null;
    },
  };
}
