/** A longer hold ends with the next sweep, which is at most a second late. */
const MAX_TIMED_MS = 10_000;

/** Probes endpoints at the end of short holds, which a sweep each second would double. */
export function createProbeTimers(probe: (endpointId: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();

  return {
    /** Replaces an earlier time of the same endpoint. */
    set(endpointId: string, afterMs: number): void {
      clearTimeout(timers.get(endpointId));
      timers.delete(endpointId);
      if (afterMs > MAX_TIMED_MS) return;
      const timer = setTimeout(
        () => {
          timers.delete(endpointId);
          probe(endpointId);
        },
        Math.ceil(afterMs) + 1,
      );
      timers.set(endpointId, timer);
    },

    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
