import type { EventType } from "../domain/event-types.ts";
import type { Db } from "./db.ts";

export type FeedEntry = { sequence: number; type: EventType };

/** A business's events by sequence number. Bodies are read separately, only when needed. */
export function createFeedStore(db: Db) {
  const selectAfter = db.prepare(`
    SELECT sequence, type FROM event WHERE business_id = :businessId AND sequence > :after
    ORDER BY sequence LIMIT :limit`);
  const selectBody = db
    .prepare("SELECT body FROM event WHERE business_id = :businessId AND sequence = :sequence")
    .pluck();
  const selectPrunedSequence = db
    .prepare("SELECT forgotten_sequence FROM business WHERE id = ?")
    .pluck();
  const selectLastSequence = db.prepare("SELECT last_sequence FROM business WHERE id = ?").pluck();

  return {
    listAfter: (businessId: string, after: number, limit: number): FeedEntry[] =>
      selectAfter.all({ businessId, after, limit }) as FeedEntry[],
    /** The envelope's bytes, or undefined if the event was deleted. */
    findBody: (businessId: string, sequence: number): Buffer | undefined =>
      selectBody.get({ businessId, sequence }) as Buffer | undefined,
    /** All events after this sequence number are still stored. */
    getPrunedSequence: (businessId: string): number =>
      (selectPrunedSequence.get(businessId) as number | undefined) ?? 0,
    /** The last sequence number used, whether or not its event is still stored. */
    getLastSequence: (businessId: string): number =>
      (selectLastSequence.get(businessId) as number | undefined) ?? 0,
  };
}
