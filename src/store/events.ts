import type { EventType } from "../domain/event-types.ts";
import type { Db } from "./database.ts";

export type EventRow = {
  id: string;
  businessId: string;
  /** Rises per business, without gaps. */
  sequence: number;
  type: EventType;
  /** The envelope as it is sent: UTF-8 JSON that never changes. */
  body: Buffer;
  sha256: Buffer;
  createdAt: number;
};

export function createEventStore(db: Db) {
  const insert = db.prepare(`
    INSERT INTO event (id, business_id, sequence, type, body, sha256, created_at)
    VALUES (:id, :businessId, :sequence, :type, :body, :sha256, :createdAt)`);
  const columns = "id, business_id AS businessId, sequence, type, body, sha256, created_at AS createdAt";
  const byId = db.prepare(`SELECT ${columns} FROM event WHERE id = ?`);
  const after = db.prepare(`
    SELECT ${columns} FROM event WHERE business_id = :businessId AND sequence > :sequence
    ORDER BY sequence LIMIT :limit`);

  return {
    insert: (row: EventRow): void => void insert.run(row),
    byId: (id: string): EventRow | undefined => byId.get(id) as EventRow | undefined,
    after: (businessId: string, sequence: number, limit: number): EventRow[] =>
      after.all({ businessId, sequence, limit }) as EventRow[],
  };
}
