import type { EventType } from "../domain/event-types.ts";
import type { Db } from "./db.ts";

export type ListedEvent = Omit<EventRow, "body" | "sha256"> & { bytes: number };

/** Events must match all fields that are set. */
export type EventFilter = {
  businessId?: string | undefined;
  type?: EventType | undefined;
  /** Created at or after this time (epoch ms). */
  since?: number | undefined;
  /** An ID: only older ones. */
  before?: string | undefined;
};

const CONDITIONS: Record<keyof EventFilter, string> = {
  businessId: "business_id = :businessId",
  type: "type = :type",
  since: "created_at >= :since",
  before: "id < :before",
};

export type EventRow = {
  id: string;
  businessId: string;
  /** Rises per business, without gaps. */
  sequence: number;
  type: EventType;
  /** The envelope exactly as it is sent: UTF-8 JSON that never changes. */
  body: Buffer;
  sha256: Buffer;
  createdAt: number;
};

export function createEventStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO event (id, business_id, sequence, type, body, sha256, created_at)
    VALUES (:id, :businessId, :sequence, :type, :body, :sha256, :createdAt)`);
  const columns =
    "id, business_id AS businessId, sequence, type, body, sha256, created_at AS createdAt";
  const selectById = db.prepare(`SELECT ${columns} FROM event WHERE id = ?`);
  const selectUndelivered = db.prepare(`
    SELECT ${columns} FROM event
    WHERE id IN (SELECT event_id FROM delivery WHERE status = 'PENDING' UNION SELECT event_id FROM delivery WHERE status = 'PARKED')`);
  const selectAfter = db.prepare(`
    SELECT ${columns} FROM event WHERE business_id = :businessId AND sequence > :sequence
    ORDER BY sequence LIMIT :limit`);

  return {
    /** Newest first, without bodies. */
    list(filter: EventFilter, limit: number): ListedEvent[] {
      const names = (Object.keys(CONDITIONS) as (keyof EventFilter)[]).filter(
        (name) => filter[name] !== undefined,
      );
      const where = ["TRUE", ...names.map((name) => CONDITIONS[name])].join(" AND ");
      return db
        .prepare(`
          SELECT id, business_id AS businessId, sequence, type, created_at AS createdAt, length(body) AS bytes
          FROM event WHERE ${where} ORDER BY id DESC LIMIT :limit`)
        .all({ ...filter, limit }) as ListedEvent[];
    },
    insert: (row: EventRow): void => void insert.run(row),
    findById: (id: string): EventRow | undefined => selectById.get(id) as EventRow | undefined,
    /** Events with a pending or parked delivery. */
    iterateUndelivered: (): IterableIterator<EventRow> =>
      selectUndelivered.iterate() as IterableIterator<EventRow>,
    listAfter: (businessId: string, sequence: number, limit: number): EventRow[] =>
      selectAfter.all({ businessId, sequence, limit }) as EventRow[],
  };
}
