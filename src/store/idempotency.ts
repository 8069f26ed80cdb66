import { columns, insertInto, type Db } from "./db.ts";

/** The endpoint that an API key created with an Idempotency-Key. */
export type IdempotencyRow = {
  keyId: string;
  token: string;
  requestHash: Buffer;
  endpointId: string;
  createdAt: number;
};

export function createIdempotencyStore(db: Db) {
  const find = db.prepare(`
    SELECT ${columns("key_id, token, request_hash, endpoint_id, created_at")} FROM idempotency
    WHERE key_id = :keyId AND token = :token AND created_at > :after`);
  const insert = db.prepare(
    insertInto("idempotency", "key_id, token, request_hash, endpoint_id, created_at"),
  );
  const deleteOld = db.prepare("DELETE FROM idempotency WHERE created_at <= ?");

  return {
    /** Ignores rows created at `after` or earlier. */
    find: (keyId: string, token: string, after: number) =>
      find.get({ keyId, token, after }) as IdempotencyRow | undefined,
    insert: (row: IdempotencyRow) => void insert.run(row),
    /** Deletes rows created at `until` or earlier. */
    deleteUntil: (until: number) => void deleteOld.run(until),
  };
}
