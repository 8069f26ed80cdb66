import type { Runtime } from "../../../app/runtime.ts";
import type { PublishOutcome } from "./broker.ts";
import { createDestinationStore, type DestinationRow } from "../store.ts";

type Stored = Extract<PublishOutcome, { kind: "stored" }>;

/**
 * Tracks the sequence numbers that a stream gives to events. The numbers rise as long as the stream
 * exists. A number that is not above an earlier one shows that the stream was recreated or restored
 * and lacks events. Purging a stream does not lower its numbers.
 */
export function createStreamPosition(rt: Runtime, destination: DestinationRow) {
  let stream = { highest: destination.streamSequence };

  return {
    /** Returns the highest number so far; null before the first publish. */
    highest: () => stream.highest,
    /**
     * Call `beginPublish` before a publish, and the function that it returns when the stream has
     * the message.
     */
    beginPublish(): (stored: Stored) => void {
      const streamBefore = stream;
      // Answers to later publishes can arrive before the answer to this one, so its number is
      // compared with the highest number before the publish.
      const highestBefore = stream.highest ?? 0;
      return ({ streamSequence, isDuplicate }) => {
        // After a recreation, the answer to an earlier publish does not concern the new stream.
        if (streamBefore !== stream) return;
        if (isDuplicate || streamSequence > highestBefore) {
          stream.highest = Math.max(stream.highest ?? 0, streamSequence);
          return;
        }
        rt.tx(() =>
          rt.openStore(createDestinationStore).markRecreated(destination, streamSequence, rt.now()),
        );
        stream = { highest: streamSequence };
      };
    },
  };
}
