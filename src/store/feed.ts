import type { EventType } from "../domain/event-types.ts";
import type { Db } from "./db.ts";

/** Where an event stands in its business's feed. */
export type FeedEntry = { sequence: number; type: EventType };

/** A business's events in their order, read a stretch at a time: bodies only of what is wanted. */
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
    /** The envelope's bytes; undefined for an event that is not kept. */
    findBody: (businessId: string, sequence: number): Buffer | undefined =>
      selectBody.get({ businessId, sequence }) as Buffer | undefined,
    /** From here on every event is kept; 0: all are. */
    getPrunedSequence: (businessId: string): number =>
      (selectPrunedSequence.get(businessId) as number | undefined) ?? 0,
    /** The last that was given out, whether its event is still kept or not. */
    getLastSequence: (businessId: string): number =>
      (selectLastSequence.get(businessId) as number | undefined) ?? 0,
  };
}
