import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;
const ENDED_MS = 30 * DAY_MS;
const UNRESOLVED_MS = 90 * DAY_MS;
const RESPONSE_MS = 7 * DAY_MS;
const MINUTES_MS = 30 * DAY_MS;
const MAX_BYTES = 1024 ** 3;
/** Rows that one transaction looks at: short enough to hold nobody up. */
const SLICE = 500;

/** Goes on from a number; undefined: there is no more. */
type Slice = (after: number) => number | undefined;

/**
 * Forgets what has been kept for long enough, and above a size the oldest of what was delivered. What has not reached its
 * receiver stays for its time, whatever the size.
 */
export function createPruner(rt: Runtime, { maxBytes = MAX_BYTES } = {}): () => Promise<void> {
  const { endpointSecrets, file, retention, tallies } = rt.store;
  /** Up to here no attempt has a response text any more. */
  let responsesPrunedTo = 0;

  async function inSlices(slice: Slice, goesOn: () => boolean = () => true): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && goesOn();) {
      const from: number = after;
      after = rt.tx(() => slice(from));
      // Deliveries come first.
      await new Promise(setImmediate);
    }
  }

  return async () => {
    const now = rt.now();
    const unresolved = now - UNRESOLVED_MS;
    await inSlices((after) =>
      retention.pruneEvents(after, SLICE, { ended: now - ENDED_MS, unresolved }),
    );
    await inSlices((after) => {
      const last = retention.pruneResponses(
        Math.max(after, responsesPrunedTo),
        SLICE,
        now - RESPONSE_MS,
      );
      if (last !== undefined) responsesPrunedTo = last;
      return last;
    });
    const isTooLarge = () => file.getUsedBytes() > maxBytes;
    await inSlices(
      (after) => retention.pruneEvents(after, SLICE, { ended: now + 1, unresolved }),
      isTooLarge,
    );
    rt.tx(() => {
      endpointSecrets.deleteExpired(now);
      tallies.deleteMinutesBefore(now - MINUTES_MS);
    });
  };
}
