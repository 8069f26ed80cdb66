import type { EventType } from "../domain/events/event-types.ts";
import { minIdAt } from "../domain/ids.ts";
import { columns, type Db, insertInto, matching } from "./database/db.ts";

export type ListedEvent = Omit<
  EventRow,
  "body" | "sha256" | "ownerKeyId" | "visitId" | "position"
> & {
  bytes: number;
};

export type EventFilter = {
  businessId?: string | undefined;
  type?: EventType | undefined;
  /** Epoch ms of creation, inclusive. */
  since?: number | undefined;
};

const CONDITIONS = {
  businessId: "business_id = :businessId",
  type: "type = :type",
  // The plus keeps SQLite from using the index of types, which has the events of all businesses.
  typeOfBusiness: "+type = :typeOfBusiness",
  // An ID begins with the time of creation, so older events are not even looked at.
  since: "id >= :since",
};

export type EventRow = {
  id: string;
  businessId: string;
  /** Sequence numbers rise without gaps within a business. */
  sequence: number;
  type: EventType;
  /** The envelope exactly as it is sent: UTF-8 JSON. It changes only when a guest is erased. */
  body: Buffer;
  sha256: Buffer;
  createdAt: number;
  /**
   * The key that created the booking, reservation or order; null if no key did, and for catalog
   * events.
   */
  ownerKeyId: string | null;
  /** The booking, reservation or order of the event; null for events about something else. */
  visitId: string | null;
  /**
   * The place of the event among the events of all businesses with partners; null if the business
   * had no partner.
   */
  position: number | null;
};

const EVENT = `id, business_id, sequence, type, body, sha256, created_at, owner_key_id,
  visit_id, position`;

export function createEventStore(db: Db) {
  const insert = db.prepare(insertInto("event", EVENT));
  const selectById = db.prepare(`SELECT ${columns(EVENT)} FROM event WHERE id = ?`);
  const selectUndelivered = db.prepare(`
    SELECT ${columns(EVENT)} FROM event
    WHERE id IN (SELECT event_id FROM delivery WHERE status = 'PENDING' UNION SELECT event_id FROM delivery WHERE status = 'PARKED')`);
  const selectByVisit = db.prepare("SELECT id, body FROM event WHERE visit_id = ?");
  const updateBody = db.prepare("UPDATE event SET body = :body, sha256 = :sha256 WHERE id = :id");
  const selectAfter = db.prepare(`
    SELECT ${columns(EVENT)} FROM event WHERE business_id = :businessId AND sequence > :sequence
    ORDER BY sequence LIMIT :limit`);

  const selectIdAt = db
    .prepare("SELECT id FROM event WHERE business_id = :businessId AND sequence = :sequence")
    .pluck();
  const selectNextById = db.prepare(`
    SELECT id, body, sha256 FROM event WHERE id > :after ORDER BY id LIMIT :limit`);

  return {
    /** Lists events without bodies, the newest first. */
    list({ businessId, type, since }: EventFilter, limit: number): ListedEvent[] {
      const given = {
        businessId,
        type: businessId === undefined ? type : undefined,
        typeOfBusiness: businessId === undefined ? undefined : type,
        since: since === undefined ? since : minIdAt("evt", since),
      };
      // The events of one business are read by its index of sequence numbers. The events of all
      // businesses are read by ID.
      const order = businessId === undefined ? "id" : "sequence";
      return db
        .prepare(`
          SELECT ${columns("id, business_id, sequence, type, created_at")}, length(body) AS bytes
          FROM event WHERE ${matching(CONDITIONS, given)} ORDER BY ${order} DESC LIMIT :limit`)
        .all({ ...given, limit }) as ListedEvent[];
    },
    insert: (row: EventRow) => void insert.run(row),
    findById: (id: string) => selectById.get(id) as EventRow | undefined,
    findIdAt: (businessId: string, sequence: number) =>
      selectIdAt.get({ businessId, sequence }) as string | undefined,
    listByVisit: (visitId: string) => selectByVisit.all(visitId) as Pick<EventRow, "id" | "body">[],
    /** Replaces the body of an event, to erase a guest. */
    updateBody: (id: string, body: Buffer, sha256: Buffer) =>
      void updateBody.run({ id, body, sha256 }),
    /** Lists events of all businesses by ascending ID. */
    listById: (after: string, limit: number) =>
      selectNextById.all({ after, limit }) as Pick<EventRow, "id" | "body" | "sha256">[],
    /** Yields events with a pending or parked delivery. */
    iterateUndelivered: () => selectUndelivered.iterate() as IterableIterator<EventRow>,
    listAfter: (businessId: string, sequence: number, limit: number) =>
      selectAfter.all({ businessId, sequence, limit }) as EventRow[],
  };
}

export type FeedEntry = { sequence: number; type: EventType };

/** Reads the event feed. Bodies are read separately, only when needed. */
export function createFeedStore(db: Db) {
  const selectAfter = db.prepare(`
    SELECT sequence, type FROM event WHERE business_id = :businessId AND sequence > :after
    ORDER BY sequence`);
  const select = db.prepare(`
    SELECT ${columns("body, owner_key_id")} FROM event
    WHERE business_id = :businessId AND sequence = :sequence`);
  const selectNext = db.prepare(`
    SELECT sequence, id FROM event WHERE business_id = :businessId AND sequence > :after
    ORDER BY sequence LIMIT 1`);
  const selectPrunedSequence = db
    .prepare("SELECT forgotten_sequence FROM business WHERE id = ?")
    .pluck();
  const raisePosition = db
    .prepare("UPDATE server SET last_position = last_position + ? RETURNING last_position")
    .pluck();
  const selectPositions = db.prepare(
    `SELECT ${columns("last_position, forgotten_position")} FROM server`,
  );
  const selectFeedId = db.prepare("SELECT feed_id FROM server").pluck();
  const selectLastSequence = db.prepare("SELECT last_sequence FROM business WHERE id = ?").pluck();

  return {
    iterateAfter: (businessId: string, after: number) =>
      selectAfter.iterate({ businessId, after }) as IterableIterator<FeedEntry>,
    /** Returns the first event after a sequence number. */
    findNext: (businessId: string, after: number) =>
      selectNext.get({ businessId, after }) as Pick<EventRow, "sequence" | "id"> | undefined,
    /** Returns an event; undefined if it was deleted. */
    find: (businessId: string, sequence: number) =>
      select.get({ businessId, sequence }) as Pick<EventRow, "body" | "ownerKeyId"> | undefined,
    /** Returns the sequence number after which all events are still stored. */
    getPrunedSequence: (businessId: string): number =>
      (selectPrunedSequence.get(businessId) as number | undefined) ?? 0,
    /** Returns the ID of the feeds, which is empty for feeds from before feeds had an ID. */
    getId: (): string => selectFeedId.get() as string,
    /** Returns the position of the last event of any business with partners. */
    getLastPosition: (): number => (selectPositions.get() as { lastPosition: number }).lastPosition,
    /** Returns the position after which all events are still stored. */
    getPrunedPosition: (): number =>
      (selectPositions.get() as { forgottenPosition: number }).forgottenPosition,
    /** Returns the first of `count` new, consecutive positions. */
    allocatePositions: (count: number): number => (raisePosition.get(count) as number) - count + 1,
    /** Returns the last sequence number used, whether or not its event is still stored. */
    getLastSequence: (businessId: string): number =>
      (selectLastSequence.get(businessId) as number | undefined) ?? 0,
  };
}
