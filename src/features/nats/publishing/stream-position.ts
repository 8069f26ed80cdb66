import type { Runtime } from "../../../app/runtime.ts";
import type { PublishOutcome } from "./broker.ts";
import { createDestinationStore, type DestinationRow } from "../store.ts";

type Stored = Extract<PublishOutcome, { kind: "stored" }>;

/**
 * Follows the sequence numbers that a stream gives to events. They rise as long as the stream lives:
 * a number that is not above an earlier one shows that the stream was deleted and created again, or
 * restored, and lacks events that it had. Purging a stream does not lower them.
 */
export function createStreamPosition(rt: Runtime, destination: DestinationRow) {
  let stream = { highest: destination.streamSequence };

  return {
    /** Returns null while nothing was published. */
    highest: () => stream.highest,
    /** Call it before a publish. Returns the function that takes the stream's answer. */
    expectNext(): (stored: Stored) => void {
      const asked = stream;
      // Answers to other publishes may overtake this one.
      const before = stream.highest ?? 0;
      return ({ streamSequence, isDuplicate }) => {
        if (asked !== stream) return;
        if (isDuplicate || streamSequence > before) {
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
