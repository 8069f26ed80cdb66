import type { Runtime } from "../../../app/runtime.ts";
import { countOf } from "../../../domain/text.ts";
import { createCursorStore, type CursorRow, type DestinationRow } from "../store.ts";

/** Records the events that a destination will not get, for `status` and `doctor`. */
export function createSkipRecorder(rt: Runtime, { id, name }: DestinationRow) {
  const { feed } = rt.store;
  const cursors = rt.openStore(createCursorStore);

  /** @param eventId null for several events */
  function record(
    { businessId, slug }: CursorRow,
    sequence: number,
    eventId: string | null,
    reason: string,
  ): void {
    const skip = { destinationId: id, businessId, sequence, eventId, reason, at: rt.now() };
    rt.tx(() => cursors.insertSkip(skip));
    const fields = { destination: name, business: slug, event: eventId, reason };
    rt.log("warn", "A destination does not get an event.", fields);
  }

  /**
   * Records the events between the cursor and the next event, which have left the history, and moves
   * the cursor past them.
   */
  function recordPruned(cursor: CursorRow, nextSequence: number): void {
    const last = Math.min(nextSequence - 1, feed.getPrunedSequence(cursor.businessId));
    const count = last - cursor.sequence;
    if (count <= 0) return;
    const reason = `${countOf(count, "event")} that left the history before the stream accepted them`;
    record(cursor, last, null, reason);
    cursor.sequence = last;
  }

  return { record, recordPruned };
}
