/** Who may have how many deliveries on the wire. */
export type Caps = { perEndpoint: number; total: number };

/** An endpoint whose turn it is, and how many more of its deliveries may go out. */
export type Turn = { endpointId: string; room: number };

/**
 * Takes turns over endpoints, so that one with a million deliveries waiting goes no more often than one with a single one.
 * Decides only: knows nothing of rows, sockets or time.
 */
export function createTurns(caps: Caps) {
  /** Those that may have something due, next first. */
  const waiting = new Set<string>();
  const inFlight = new Map<string, number>();
  let total = 0;

  return {
    /** Something may be due for this endpoint. */
    offer: (endpointId: string): void => void waiting.add(endpointId),

    /** Whose turn it is; that endpoint then waits no longer until it is offered again. */
    next(): Turn | undefined {
      for (const endpointId of waiting) {
        if (total >= caps.total) return undefined;
        waiting.delete(endpointId);
        // One that is full is offered again by whatever of it ends first.
        const room = Math.min(caps.perEndpoint - (inFlight.get(endpointId) ?? 0), caps.total - total);
        if (room > 0) return { endpointId, room };
      }
      return undefined;
    },

    begin(endpointId: string): void {
      inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1);
      total += 1;
    },

    end(endpointId: string): void {
      const left = (inFlight.get(endpointId) ?? 0) - 1;
      if (left > 0) inFlight.set(endpointId, left);
      else inFlight.delete(endpointId);
      total -= 1;
      waiting.add(endpointId);
    },
  };
}
